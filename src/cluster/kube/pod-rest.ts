/** What the kubelet's rules look at of a pod: more than is kept in detail of one that is very large. */
import type { Container, Pod, PodRest, Volume, VolumeGroup } from './objects.js';
import { addAmounts, type Amount, compareAmounts } from './quantity.js';

/** Returns the groups of a pod. */
export function volumeGroupsOf({ volumeGroups }: Pick<PodRest, 'volumeGroups'>): readonly VolumeGroup[] {
  return JSON.parse(volumeGroups) as readonly VolumeGroup[];
}

/** Returns the containers in detail and those of the rest that have a limit. */
export function checkedContainers({ containers, rest }: Pick<Pod, 'containers' | 'rest'>): readonly Container[] {
  return rest === undefined ? containers : [...containers, ...rest.containers];
}

/** Returns the volumes in detail and those of the rest that have a limit. */
export function checkedVolumes({ volumes, rest }: Pick<Pod, 'volumes' | 'rest'>): readonly Volume[] {
  return rest === undefined ? volumes : [...volumes, ...rest.volumes];
}

/**
 * Returns the volumes in detail and those of the rest that a kubelet may measure and counts for the pod, or has a limit of.
 * A pod with a rest gets a new list at each call.
 */
export function measuredVolumes({ volumes, rest }: Pick<Pod, 'volumes' | 'rest'>): readonly Volume[] {
  if (rest === undefined) return volumes;
  const measured = [...volumes, ...rest.volumes];
  const names = new Set(measured.map(({ name }) => name));
  for (const group of volumeGroupsOf(rest)) {
    for (const name of group.names) {
      if (names.has(name)) continue;
      measured.push({ name, type: group.type, medium: '', sizeLimitBytes: undefined, isRawBlock: false });
    }
  }
  return measured;
}

type Containers = Pick<Pod, 'containers' | 'rest'>;

/** Returns the `limitBytes` of {@link PodRest.declared}, of any pod. */
export function declaredLimit({ containers, rest }: Containers): Amount | undefined {
  return rest === undefined ? aggregate(containers, ({ limitBytes }) => limitBytes) : rest.declared.limitBytes;
}

/** Returns the `requestBytes` of {@link PodRest.declared}, of any pod. */
export function declaredRequest({ containers, rest }: Containers): Amount | undefined {
  return rest === undefined ? aggregate(containers, ({ requestBytes }) => requestBytes) : rest.declared.requestBytes;
}

/**
 * Returns the `formerRequestBytes` of {@link PodRest.declared}, of any pod: the app containers together, or the largest init
 * container; a sidecar is an init container like any other here.
 */
export function formerDeclaredRequest({ containers, rest }: Containers): Amount {
  if (rest !== undefined) return rest.declared.formerRequestBytes;
  const requestsOf = (isOfKind: (kind: Container['kind']) => boolean): readonly Amount[] =>
    containers.filter(({ kind }) => isOfKind(kind)).map(({ requestBytes }) => requestBytes ?? 0);
  const apps = requestsOf((kind) => kind === 'app').reduce(addAmounts, 0);
  return requestsOf((kind) => kind === 'init' || kind === 'sidecar').reduce(larger, apps);
}

/** Sums over these containers: init containers first, as in {@link Pod.containers}. */
export function declaredAmounts(containers: readonly Container[]): PodRest['declared'] {
  const whole = { containers, rest: undefined };
  return {
    limitBytes: declaredLimit(whole),
    requestBytes: declaredRequest(whole),
    formerRequestBytes: formerDeclaredRequest(whole),
  };
}

/**
 * The larger of two moments of a pod's life: app and sidecar containers together, or one ordinary init container with
 * the sidecars declared before it.
 * https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
function aggregate(
  containers: readonly Container[],
  amountOf: (container: Container) => Amount | undefined,
): Amount | undefined {
  let running: Amount = 0;
  let init: Amount = 0;
  let isDeclared = false;
  for (const container of containers) {
    const amount = amountOf(container);
    if (amount === undefined || container.kind === 'ephemeral') continue;
    isDeclared = true;
    if (container.kind === 'init') init = larger(init, addAmounts(running, amount));
    else running = addAmounts(running, amount);
  }
  return isDeclared ? larger(running, init) : undefined;
}

function larger(a: Amount, b: Amount): Amount {
  return compareAmounts(a, b) < 0 ? b : a;
}
