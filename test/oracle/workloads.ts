/** Workloads of controllers and the sums over their pods. */
import { largest, sum, sumOfAll, sumOfKnown } from './quantity.js';
import type { RawContainerStatus, RawPod } from './raw.js';
import type { Labels, Prediction } from './series.js';
import { timeMs } from './times.js';

/** How long a pod may run before its node's summary must have it. */
const graceMs = 60_000;

/** The labels of a workload. */
export interface WorkloadLabels extends Labels {
  readonly namespace: string;
  readonly workload: string;
  readonly workload_type: string;
}

export const isMirror = ({ metadata }: RawPod): boolean =>
  metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;

export function workloadOf(pod: RawPod): WorkloadLabels {
  const [kind, workload] = kindAndName(pod);
  return { namespace: pod.metadata.namespace, workload, workload_type: kind.toLowerCase() };
}

function kindAndName(pod: RawPod): readonly [string, string] {
  const { name, labels, ownerReferences = [] } = pod.metadata;
  if (isMirror(pod)) return ['StaticPod', name.replace(new RegExp(`-${pod.spec.nodeName ?? ''}$`), '')];
  const owner = ownerReferences.find(({ controller }) => controller === true) ?? { kind: 'BarePod', name };
  const hash = labels?.['pod-template-hash'] ?? '';
  const [parentKind, pattern] = parents(hash)[owner.kind] ?? ['', /$^/];
  const parent = pattern.exec(owner.name)?.[1];
  return parent === undefined ? [owner.kind, owner.name] : [parentKind, parent];
}

/** By the kind of the owner: what stands behind it, and how it names its owners. */
const parents = (templateHash: string): Readonly<Record<string, readonly [string, RegExp]>> => ({
  ReplicaSet: ['Deployment', new RegExp(`^(.+)-${templateHash}$`)],
  Job: ['CronJob', /^(.+)-(?:2[6-9]\d{6}|3\d{7}|40000000)$/],
});

/** Whether its node's summary must have the pod at this time. */
export function isExpected(pod: RawPod, nowMs: number): boolean {
  const { spec, status } = pod;
  if (!['Running', 'Pending'].includes(status.phase) || spec.nodeName === undefined) return false;
  const isSaid = statusesOf(pod).length > 0;
  if (!isSaid && status.phase === 'Pending') return false;
  const running = statusesOf(pod).flatMap(({ state }) =>
    state?.running === undefined ? [] : [state.running.startedAt],
  );
  const starts = isSaid ? running : [status.startTime];
  return starts.some((start) => nowMs > (timeMs(start) ?? timeMs(status.startTime) ?? Infinity) + graceMs);
}

function statusesOf({ status }: RawPod): readonly RawContainerStatus[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
}

/** Containers of any kind. */
/** Undefined when one of them is unknown. */
function largestOfAll(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length < amounts.length ? undefined : largest(known);
}

export function runningCount(pod: RawPod): number {
  if (hasEnded(pod)) return 0;
  return statusesOf(pod).filter(({ state }) => state?.running !== undefined).length;
}

export const hasEnded = ({ status }: RawPod): boolean => ['Succeeded', 'Failed'].includes(status.phase);

/** One pod of the API server, with what was measured of it. */
export interface Member {
  readonly workload: WorkloadLabels;
  readonly isExpected: boolean;
  /** Whether its node is in the cluster and has no data. */
  readonly isNodeAbsent: boolean;
  readonly limit: bigint | undefined;
  readonly request: bigint | undefined;
  /** Undefined: not measured. */
  readonly measured:
    | {
        readonly used: bigint;
        readonly arePending: boolean;
        readonly containers: readonly { readonly name: string; readonly share: bigint | undefined }[];
      }
    | undefined;
}

export function predictWorkloads(prediction: Prediction, members: readonly Member[]): void {
  const keyOf = ({ workload }: Member): string => Object.values(workload).join('/');
  const keys = new Set(members.filter((pod) => pod.isExpected || pod.measured).map(keyOf));
  for (const key of keys) {
    predictWorkload(
      prediction,
      members.filter((member) => keyOf(member) === key),
    );
  }
}

function predictWorkload(prediction: Prediction, members: readonly Member[]): void {
  const [first] = members;
  if (first === undefined) return;
  const labels = first.workload;
  const expected = members.filter((member) => member.isExpected || member.measured !== undefined);
  const measured = members.flatMap((member) => member.measured ?? []);
  const isUp = expected.length === 0 || measured.length > 0;
  const isComplete = isUp && expected.length === measured.length && measured.every((pod) => !pod.arePending);
  prediction.add('workload_info', { ...labels, source: 'controller' }, 1);
  prediction.add('workload_pods', labels, expected.length);
  prediction.add('workload_pods_measured', labels, measured.length);
  const onAbsentNodes = expected.filter(({ isNodeAbsent }) => isNodeAbsent).length;
  if (onAbsentNodes > 0) prediction.add('workload_pods_on_absent_nodes', labels, onAbsentNodes);
  prediction.add('workload_complete', labels, Number(isComplete));
  prediction.add('workload_data_available', labels, Number(isUp));
  prediction.add('workload_limit_bytes', labels, sumOfKnown(expected.map(({ limit }) => limit)));
  prediction.add('workload_request_bytes', labels, sumOfKnown(expected.map(({ request }) => request)));
  if (!isUp) return;
  prediction.add('workload_used_bytes', labels, sum(measured.map(({ used }) => used)));
  const pods = measured.map(({ used }) => used);
  prediction.add('workload_pod_max_used_bytes', labels, pods.length === 0 ? undefined : largest(pods));
  const containers = measured.flatMap((pod) => pod.containers);
  for (const container of new Set(containers.map((one) => one.name))) {
    const shares = containers.filter((one) => one.name === container).map(({ share }) => share);
    prediction.add('workload_container_used_bytes', { ...labels, container }, sumOfAll(shares));
    prediction.add('workload_container_max_used_bytes', { ...labels, container }, largestOfAll(shares));
  }
}
