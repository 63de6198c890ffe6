import { messageOf, RequestError } from '../../lib/base/errors.js';
import { isObject, type JsonObject, objectOf, parseJson } from '../../lib/json/json.js';
import { parseAmount, parseQuantity, roundUp } from '../kube/quantity.js';
import { evictionSignals } from './eviction-signals.js';
import {
  defaultThresholds,
  type EvictionThreshold,
  type ImageSettings,
  type KubeletConfiguration,
  type LogRotation,
  type ThresholdValue,
} from './kubelet-configuration.js';

/**
 * Decodes the body of a `/configz` response. It contains the effective settings: the kubelet adds its defaults before it
 * publishes them.
 * https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/#kubelet-config-k8s-io-v1beta1-KubeletConfiguration
 *
 * @param what names the body, such as `configuration of node n1`; begins the messages
 * @throws RequestError `decode`
 */
export function decodeKubeletConfiguration(body: Buffer | string, what: string): KubeletConfiguration {
  const notJson = (error: unknown): RequestError => {
    const size = `${Buffer.byteLength(body)} bytes`;
    return new RequestError('decode', `${what}: ${size} that are not JSON: ${messageOf(error)}`, { cause: error });
  };
  const config = objectOf(parseJson(body.toString(), notJson))['kubeletconfig'];
  if (!isObject(config)) {
    throw new RequestError('decode', `${what}: JSON that is not a configuration: it has no kubeletconfig`);
  }
  return { thresholds: thresholdsOf(config), logRotation: logRotationOf(config), images: imageSettingsOf(config) };
}

/**
 * Of a kubelet's effective settings, to which it has added its defaults: all when `evictionHard` is not set at all and, from
 * 1.33 on, single ones with `mergeDefaultEvictionSettings`. So a signal that is missing here without that setting has no
 * threshold. A threshold that is malformed counts as none: with such a setting no kubelet starts.
 */
export function thresholdsOf(config: JsonObject): readonly EvictionThreshold[] {
  const mergesDefaults = config['mergeDefaultEvictionSettings'] === true;
  const hard = objectOf(config['evictionHard']);
  const soft = objectOf(config['evictionSoft']);
  const gracePeriods = objectOf(config['evictionSoftGracePeriod']);
  const minReclaims = objectOf(config['evictionMinimumReclaim']);
  return evictionSignals.flatMap((signal) => {
    const minReclaim = minReclaimOf(minReclaims[signal]);
    const byDefault = mergesDefaults && hard[signal] === undefined ? defaultThresholds : [];
    return [
      ...byDefault
        .filter((threshold) => threshold.signal === signal)
        .map((threshold) => ({ ...threshold, minReclaim })),
      ...thresholdOf(hard[signal], { signal, minReclaim, gracePeriodMs: 0 }),
      ...thresholdOf(soft[signal], { signal, minReclaim, gracePeriodMs: goDurationMs(gracePeriods[signal]) }),
    ];
  });
}

function thresholdOf(
  text: unknown,
  {
    gracePeriodMs,
    ...rest
  }: Omit<EvictionThreshold, 'value' | 'gracePeriodMs'> & { gracePeriodMs: number | undefined },
): readonly EvictionThreshold[] {
  // Just these texts switch a signal off: 0.0% is a threshold that is never crossed.
  if (text === '0%' || text === '100%' || gracePeriodMs === undefined) return [];
  const value = valueOf(text);
  if (value === undefined || ('ratio' in value ? value.ratio > 1 : roundUp(value.amount) === 0)) return [];
  return [{ ...rest, gracePeriodMs, value }];
}

function minReclaimOf(text: unknown): ThresholdValue | undefined {
  const value = valueOf(text);
  return value !== undefined && 'ratio' in value && value.ratio === 0 ? undefined : value;
}

/** Not negative. */
function valueOf(text: unknown): ThresholdValue | undefined {
  if (typeof text !== 'string') return undefined;
  if (text.endsWith('%')) return ratioOf(text);
  const amount = parseAmount(text);
  return amount === undefined || roundUp(amount) < 0 ? undefined : { amount };
}

/** A number as Go's `strconv.ParseFloat` takes it. */
const percentage = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)%+$/;

/** As a float32, see {@link defaultThresholds}. */
function ratioOf(text: string): ThresholdValue | undefined {
  const [, number] = percentage.exec(text) ?? [];
  const ratio = Math.fround(Math.fround(Number(number)) / 100);
  return ratio >= 0 ? { ratio: Math.abs(ratio) } : undefined;
}

const goDuration = /^\+?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|[\u00b5\u03bc]s|ms|s|m|h))+)$/;
const goDurationPart = /(\d+(?:\.\d*)?|\.\d+)(ns|us|[\u00b5\u03bc]s|ms|s|m|h)/g;
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** As Go's `time.ParseDuration`, of durations that are not negative. */
function goDurationMs(text: unknown): number | undefined {
  if (typeof text !== 'string' || !goDuration.test(text)) return undefined;
  let sumMs = 0;
  for (const [, count, unit = ''] of text.matchAll(goDurationPart)) sumMs += Number(count) * (unitMs[unit] ?? 0);
  return sumMs;
}

/** https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation */
const defaultMaxSize = '10Mi';
const defaultMaxFiles = 5;

/** With fewer no kubelet starts. */
const leastFileCount = 2;

/**
 * Of a kubelet's effective settings; for a field that is missing, its default. Undefined when the kubelet rotates nothing,
 * which a negative size stands for, or when the settings are malformed.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/logs/container_log_manager.go
 */
export function logRotationOf(config: JsonObject): LogRotation | undefined {
  const { containerLogMaxSize = defaultMaxSize, containerLogMaxFiles = defaultMaxFiles } = config;
  const maxFileBytes = typeof containerLogMaxSize === 'string' ? parseQuantity(containerLogMaxSize) : undefined;
  if (maxFileBytes === undefined || maxFileBytes < 0 || !isIntegerIn(containerLogMaxFiles, [leastFileCount, Infinity]))
    return undefined;
  return { maxFileBytes, maxFileCount: containerLogMaxFiles };
}

/** Of a kubelet's effective settings; for a field that is missing, its default. Undefined when one is malformed. */
export function imageSettingsOf(config: JsonObject): ImageSettings | undefined {
  const { imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 } = config;
  const { imageMinimumGCAge = '2m0s', nodeStatusMaxImages: maxListedCount = 50 } = config;
  const minAgeMs = goDurationMs(imageMinimumGCAge);
  if (!isIntegerIn(high, [0, 100]) || !isIntegerIn(low, [0, high])) return undefined;
  if (minAgeMs === undefined || !isIntegerIn(maxListedCount, [-1, Infinity])) return undefined;
  return { highThresholdPercent: high, lowThresholdPercent: low, minAgeMs, maxListedCount };
}

function isIntegerIn(value: unknown, [min, max]: readonly [number, number]): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
