import { isTerminal, type SimulatedPod } from './simulated-pod.js';

/** The port of 127.0.0.1 behind each declared port; undefined where nobody listens. */
export function containerPorts(pod: SimulatedPod): ReadonlyMap<number, number | undefined> {
  const ports = pod.containers.flatMap(({ spec: { ports = [] }, state }) =>
    ports.map(({ containerPort, listensOn }) => {
      const isServed = state.state === 'running' && !isTerminal(pod);
      return [containerPort, isServed ? listensOn : undefined] as const;
    }),
  );
  return new Map(ports);
}

/** The number of a pod's port by its name or number; undefined for an unknown name. */
export function portNumber(pod: SimulatedPod, target: number | string): number | undefined {
  if (typeof target === 'number') return target;
  const ports = pod.spec.containers.flatMap(({ ports = [] }) => ports);
  return ports.find(({ name }) => name === target)?.containerPort;
}
