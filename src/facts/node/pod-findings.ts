import type { Node, Pod, PodRest, Volume } from '../../cluster/kube/objects.js';
import { othersName } from '../../cluster/kube/pod-bounds.js';
import { checkedContainers, declaredRequest } from '../../cluster/kube/pod-rest.js';
import { type Amount, compareAmounts, roundUp } from '../../cluster/kube/quantity.js';
import type { LogRotation } from '../../cluster/kubelet/kubelet-configuration.js';
import type { PodSummary } from '../../cluster/kubelet/summary.js';
import { known } from '../../cluster/kubelet/summary.js';
import type { LimitRatio } from './limit-ratios.js';
import { evictionRequest, exemptionOf, isActive, podLimit, podRequestBytes } from './limits.js';
import { type FullVolume, fullVolumes, resizesMemoryVolumes } from './unenforced-limits.js';
import { concernsRules, countedComponent, mountedVolumeNames } from './volume-usage.js';

/** What may be wrong with a pod's settings, the likeliest cause of an eviction first. Closed list. */
export const findingKinds = [
  'amount_below_1ki',
  'no_limit_or_request',
  'request_counts_as_zero',
  'limit_of_one_container',
  'size_limit_above_pod_limit',
  'memory_volume_full',
  'logs_above_rotation',
  'limit_not_enforced',
  'volume_not_mounted',
  'not_in_detail',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** Amounts are bytes, rounded up. */
export type PodFinding =
  /** Most likely a unit that is not what its author meant, as in `500m`: half a byte. */
  | {
      readonly kind: 'amount_below_1ki';
      readonly field: 'limit' | 'request' | 'sizeLimit';
      readonly container?: string;
      readonly volume?: string;
      readonly amount: Amount;
    }
  /** Only on a node that is close to evicting pods. */
  | { readonly kind: 'no_limit_or_request'; readonly hasLimit: boolean; readonly hasRequest: boolean }
  | { readonly kind: 'request_counts_as_zero'; readonly requestBytes: number }
  | {
      readonly kind: 'limit_of_one_container';
      readonly container: string;
      readonly limitBytes: number;
      /** App containers and sidecars without a limit: what they use counts towards it. */
      readonly others: readonly string[];
    }
  | {
      readonly kind: 'size_limit_above_pod_limit';
      readonly volume: string;
      readonly sizeLimitBytes: number;
      readonly podLimitBytes: number;
    }
  | ({ readonly kind: 'memory_volume_full' } & FullVolume)
  /** The widest of the reasons that the pod has alone. */
  | ({ readonly kind: 'limit_not_enforced' } & Pick<
      LimitRatio,
      'rule' | 'container' | 'volume' | 'limitBytes' | 'limitQuantity' | 'unenforced'
    >)
  | {
      readonly kind: 'logs_above_rotation';
      readonly container: string;
      readonly usedBytes: number;
      readonly rotation: LogRotation;
    }
  | {
      readonly kind: 'volume_not_mounted';
      /** The first of them. */
      readonly volume: string | undefined;
      readonly type: Volume['type'];
      readonly count: number;
    }
  /** The pod has more than is kept of a pod. */
  | ({ readonly kind: 'not_in_detail' } & Pick<
      PodRest,
      'containerCount' | 'volumeCount' | 'mountCount' | 'labelCount'
    >);

export interface PodFindingsInput {
  readonly pod: Pod;
  /** Undefined when the summary does not list the pod, or is not known. */
  readonly summary?: PodSummary | undefined;
  /** Undefined until the pod is scheduled, or when its Node object is not known. */
  readonly node: Pick<Node, 'kubeletVersion' | 'enforcesStorageLimits'> | undefined;
  /** Its node is close to evicting pods, or does. */
  readonly isNearPressure: boolean;
  /** Undefined when the kubelet's configuration is not known, or when it does not rotate logs. */
  readonly logRotation?: LogRotation | undefined;
  /** One that has the reason of `PodRecord.unenforced`; undefined without a reason. */
  readonly unenforced?: LimitRatio | undefined;
}

/** In the order of {@link findingKinds}; none of a pod that has ended. What is about evictions is not asked of exempt pods. */
export function podFindings(input: PodFindingsInput): readonly PodFinding[] {
  const { pod } = input;
  if (!isActive(pod)) return [];
  const findings: PodFinding[] = [];
  const counted = pod.volumes.filter((volume) => countedComponent(volume) !== undefined);
  const mounted = mountedVolumeNames(pod);
  if (exemptionOf(pod) === undefined) {
    addEvictionFindings(
      findings,
      input,
      counted.filter(({ name }) => mounted.has(name)),
    );
  }
  addFullVolumes(findings, input);
  addLogFindings(findings, input);
  if (input.unenforced !== undefined) findings.push({ kind: 'limit_not_enforced', ...input.unenforced });
  addUnmounted(findings, pod, mounted);
  if (pod.rest !== undefined) findings.push({ kind: 'not_in_detail', ...pod.rest });
  return findings;
}

/** Of exempt pods too: their writes fail as others do. */
function addFullVolumes(findings: PodFinding[], { pod, summary, node }: PodFindingsInput): void {
  if (summary === undefined) return;
  for (const full of fullVolumes(summary, pod, resizesMemoryVolumes(node?.kubeletVersion))) {
    findings.push({ kind: 'memory_volume_full', ...full });
  }
}

/** The kubelet mounts and measures only what a container mounts. */
function addUnmounted(findings: PodFinding[], { volumes, rest }: Pod, mounted: ReadonlySet<string>): void {
  const unmounted = volumes.filter((volume) => !mounted.has(volume.name) && concernsRules(volume));
  const count = unmounted.length + (rest?.unmountedVolumeCount ?? 0);
  if (count === 0) return;
  const [first] = unmounted;
  findings.push({ kind: 'volume_not_mounted', volume: first?.name, type: first?.type ?? 'emptydir', count });
}

/** `volumes`: those that are part of the pod's total. */
function addEvictionFindings(
  findings: PodFinding[],
  { pod, node, isNearPressure }: PodFindingsInput,
  volumes: readonly Volume[],
): void {
  addTinyAmount(findings, pod, volumes);
  const limit = podLimit(pod);
  const hasRequest = requestsStorage(pod);
  const hasLimit = limit !== undefined;
  if (isNearPressure && !(hasLimit && hasRequest)) findings.push({ kind: 'no_limit_or_request', hasLimit, hasRequest });
  if (hasRequest && node !== undefined) addUncountedRequest(findings, pod, node);
  if (!hasLimit || isFraction(limit) || node?.enforcesStorageLimits === false) return;
  addLoneLimit(findings, pod, limit);
  addIneffectiveSizeLimits(findings, volumes, limit);
}

/** The first of the pod. */
function addTinyAmount(findings: PodFinding[], pod: Pod, volumes: readonly Volume[]): void {
  const amounts = [
    ...checkedContainers(pod).flatMap(({ name, limitBytes, requestBytes }) => [
      { field: 'limit', container: name, amount: limitBytes } as const,
      { field: 'request', container: name, amount: requestBytes } as const,
    ]),
    ...volumes.map(
      ({ name, sizeLimitBytes }) => ({ field: 'sizeLimit', volume: name, amount: sizeLimitBytes }) as const,
    ),
  ];
  const tiny = amounts.find(({ amount }) => isTiny(amount));
  if (tiny?.amount !== undefined) findings.push({ kind: 'amount_below_1ki', ...tiny, amount: tiny.amount });
}

/** 0 is meant. */
function isTiny(amount: Amount | undefined): boolean {
  return amount !== undefined && amount !== 0 && roundUp(amount) < 1024;
}

/** Found by its unit: nothing else is to be said of it. */
function isFraction(amount: Amount): boolean {
  return typeof amount !== 'number' && isTiny(amount);
}

/** See {@link evictionRequest}: resources of the pod as a whole hide the requests of its containers. */
function addUncountedRequest(findings: PodFinding[], pod: Pod, { kubeletVersion }: Pick<Node, 'kubeletVersion'>): void {
  if (evictionRequest(pod, kubeletVersion) !== 0) return;
  findings.push({ kind: 'request_counts_as_zero', requestBytes: podRequestBytes(pod) ?? 0 });
}

/** Overhead alone is no request to the kubelet. */
function requestsStorage(pod: Pod): boolean {
  return (declaredRequest(pod) ?? 0) !== 0;
}

/** One container's limit binds them all; an init container that declares none shares it only while it runs. */
function addLoneLimit(findings: PodFinding[], pod: Pod, limit: Amount): void {
  const declaring = checkedContainers(pod).filter(
    ({ kind, limitBytes }) => kind !== 'ephemeral' && limitBytes !== undefined,
  );
  const [lone] = declaring;
  if (lone === undefined || declaring.length > 1) return;
  const others = pod.containers.filter((other) => other !== lone && (other.kind === 'app' || other.kind === 'sidecar'));
  const names = others.map(({ name }) => name);
  const restCount = (pod.rest?.containerCount ?? 0) - (pod.rest?.containers.length ?? 0);
  if (restCount > 0) names.push(othersName);
  if (names.length === 0) return;
  findings.push({ kind: 'limit_of_one_container', container: lone.name, limitBytes: roundUp(limit), others: names });
}

/** The volume's bytes are part of the pod's: the pod exceeds its limit before the volume exceeds a larger one. */
function addIneffectiveSizeLimits(findings: PodFinding[], volumes: readonly Volume[], limit: Amount): void {
  for (const { name, sizeLimitBytes } of volumes) {
    if (sizeLimitBytes === undefined || compareAmounts(sizeLimitBytes, limit) <= 0) continue;
    findings.push({
      kind: 'size_limit_above_pod_limit',
      volume: name,
      sizeLimitBytes: roundUp(sizeLimitBytes),
      podLimitBytes: roundUp(limit),
    });
  }
}

/** Of a restarted container, the logs of the run before are kept too. */
const keptRunCount = 2;

function addLogFindings(findings: PodFinding[], { summary, logRotation }: PodFindingsInput): void {
  if (summary === undefined || logRotation === undefined) return;
  const allowedBytes = logRotation.maxFileBytes * logRotation.maxFileCount * keptRunCount;
  for (const { name, logs } of summary.containers) {
    const usedBytes = known(logs?.usedBytes) ?? 0;
    if (usedBytes <= allowedBytes || name === othersName) continue;
    findings.push({ kind: 'logs_above_rotation', container: name, usedBytes, rotation: logRotation });
  }
}
