import { timestamp } from './object-format.js';
import { imageIdOf } from './simulated-images.js';
import {
  type ContainerState,
  imageOf,
  isInitContainer,
  kindOf,
  type SimulatedContainer,
  type SimulatedPod,
  type Termination,
} from './simulated-pod.js';

/** The pod's status as the API server returns it. */
export function podStatus(pod: SimulatedPod): object {
  const { failure } = pod;
  const cause = failure && { message: failure.message, reason: 'Evicted' };
  if (failure?.kind === 'rejected') {
    return { phase: pod.phase, ...cause, startTime: timestamp(failure.failedAtMs), qosClass: 'BestEffort' };
  }
  const init = pod.containers.filter(({ spec }) => isInitContainer(spec));
  const app = pod.containers.filter(({ spec }) => kindOf(spec) === 'app');
  const ephemeral = pod.containers.filter(({ spec }) => kindOf(spec) === 'ephemeral');
  return {
    phase: pod.phase,
    conditions: conditions(pod),
    ...cause,
    ...addresses(pod),
    ...(pod.spec.nodeName !== undefined && { startTime: timestamp(pod.createdAtMs) }),
    ...(init.length > 0 && { initContainerStatuses: init.map(containerStatus) }),
    ...(pod.spec.nodeName !== undefined && { containerStatuses: app.map(containerStatus) }),
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral.map(containerStatus) }),
    qosClass: 'BestEffort',
  };
}

function addresses({ startedAtMs, failure }: SimulatedPod): object {
  if (startedAtMs === undefined) return {};
  const hasSandbox = failure?.kind !== 'evicted' || failure.hasSandbox;
  return { hostIP: '127.0.0.1', ...(hasSandbox && { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] }) };
}

/** All its containers are ready. */
export function isPodReady({ phase, containers }: SimulatedPod): boolean {
  return phase === 'Running' && containers.every(isContainerReady);
}

interface Condition {
  readonly type: string;
  readonly isTrue: boolean;
  readonly atMs: number;
  readonly reason?: string;
  readonly message?: string;
}

function conditions(pod: SimulatedPod): readonly object[] {
  const { failure, createdAtMs, startedAtMs = createdAtMs, spec } = pod;
  const scheduled = { type: 'PodScheduled', isTrue: spec.nodeName !== undefined, atMs: createdAtMs };
  const initialized = { type: 'Initialized', isTrue: pod.startedAtMs !== undefined, atMs: startedAtMs };
  if (failure?.kind === 'evicted') {
    const { failedAtMs: atMs, message, isForNode, hasSandbox } = failure;
    const failed = { isTrue: false, atMs, reason: 'PodFailed' };
    const target = { type: 'DisruptionTarget', isTrue: true, atMs, reason: 'TerminationByKubelet', message };
    const sandbox = {
      type: 'PodReadyToStartContainers',
      isTrue: false,
      atMs,
      reason: 'PodSandboxNotReady',
      message: hasSandbox ? 'pod sandbox is not ready' : 'no pod sandbox exists',
    };
    const ready = { type: 'Ready', ...failed };
    const containersReady = { type: 'ContainersReady', ...failed };
    return [...(isForNode ? [target] : []), sandbox, initialized, ready, containersReady, scheduled].map(condition);
  }
  const isReady = isPodReady(pod);
  return [
    { type: 'PodReadyToStartContainers', isTrue: pod.phase === 'Running', atMs: startedAtMs },
    initialized,
    { type: 'Ready', isTrue: isReady, atMs: startedAtMs },
    { type: 'ContainersReady', isTrue: isReady, atMs: startedAtMs },
    scheduled,
  ].map(condition);
}

function condition({ type, isTrue, atMs, ...cause }: Condition): object {
  return {
    type,
    status: isTrue ? 'True' : 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp(atMs),
    ...cause,
  };
}

function containerStatus(container: SimulatedContainer): object {
  const { spec, state, restartCount, lastTermination } = container;
  return {
    name: spec.name,
    state: stateObject(state),
    lastState: lastTermination === undefined ? {} : terminatedObject(lastTermination, 'lastState'),
    ready: isContainerReady(container),
    restartCount,
    image: imageOf(spec),
    imageID: state.state === 'waiting' ? '' : imageIdOf(imageOf(spec)),
    started: state.state === 'running',
  };
}

function isContainerReady({ spec, state }: SimulatedContainer): boolean {
  return state.state === 'running' || (spec.kind === 'init' && state.state === 'terminated' && 'exitCode' in state);
}

function stateObject(state: ContainerState): object {
  switch (state.state) {
    case 'waiting':
      return { waiting: { reason: state.reason } };
    case 'running':
      return { running: { startedAt: timestamp(state.startedAtMs) } };
    case 'terminated':
      return terminatedObject(state, 'state');
  }
}

/** The texts of a kubelet that lost a container. They have two blanks between sentences. */
const lostMessages = {
  state: 'The container could not be located when the pod was terminated',
  lastState: 'The container could not be located when the pod was deleted.  The container used to be Running',
};

function terminatedObject(termination: Termination, of: 'state' | 'lastState'): object {
  if ('isLost' in termination) {
    const reason = 'ContainerStatusUnknown';
    return { terminated: { exitCode: 137, reason, message: lostMessages[of], startedAt: null, finishedAt: null } };
  }
  const { startedAtMs, finishedAtMs, exitCode } = termination;
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  return {
    terminated: { exitCode, reason, startedAt: timestamp(startedAtMs), finishedAt: timestamp(finishedAtMs) },
  };
}
