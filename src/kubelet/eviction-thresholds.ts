import { type JsonObject, objectOf } from '../json/json.js';
import { type Amount, parseAmount, roundUp } from '../kube/quantity.js';
import { type EvictionSignal, evictionSignals } from './eviction-signals.js';

/** Bytes or inodes; or a part of all that the filesystem has. */
export type ThresholdValue = { readonly amount: Amount } | { readonly ratio: number };

/** The kubelet evicts while less than this is available. */
export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  /** More than 0 and, for a ratio, from 0 to 1. */
  readonly value: ThresholdValue;
  /** How much more must be available, once the threshold was crossed, before the kubelet stops. */
  readonly minReclaim: ThresholdValue | undefined;
  /** How long less must be available before the kubelet evicts; 0 for a hard threshold. */
  readonly gracePeriodMs: number;
}

/**
 * As configured: by signal, the hard one first. Those of containerfs are not what the kubelet goes by, see
 * `nodeThresholds`.
 */
export type EvictionThresholds = readonly EvictionThreshold[];

/**
 * What a kubelet has when nothing is configured. `imagefs.inodesFree` came with 1.30; a filesystem without inodes has none.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/eviction/defaults_linux.go
 */
const defaultEvictionHard: Readonly<Partial<Record<EvictionSignal, string>>> = {
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
};

/**
 * Of a kubelet's effective settings, to which it has added its defaults: all when `evictionHard` is not set at all and, from
 * 1.33 on, single ones with `mergeDefaultEvictionSettings`. So a signal that is missing here without that setting has no
 * threshold. A threshold that is malformed counts as none: with such a setting no kubelet starts.
 */
export function thresholdsOf(config: JsonObject): EvictionThresholds {
  const mergesDefaults = config['mergeDefaultEvictionSettings'] === true;
  const hard = { ...(mergesDefaults ? defaultEvictionHard : {}), ...objectOf(config['evictionHard']) };
  const soft = objectOf(config['evictionSoft']);
  const gracePeriods = objectOf(config['evictionSoftGracePeriod']);
  const minReclaims = objectOf(config['evictionMinimumReclaim']);
  return evictionSignals.flatMap((signal) => {
    const minReclaim = minReclaimOf(minReclaims[signal]);
    return [
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
): EvictionThresholds {
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

/** Kubelets keep the ratio as a float32: 10 % are a little more than that. */
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

/** Those of a kubelet that is not configured. */
export const defaultThresholds: EvictionThresholds = thresholdsOf({ evictionHard: defaultEvictionHard });
