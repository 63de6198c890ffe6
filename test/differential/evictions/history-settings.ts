/** The settings that a history reloads, and what they mean. */
import { streamOf } from './pods-api.js';
import { type App, knownNodes, type Namespace, namespaces, ownerOf, type SimulatedPod } from './simulated-pods.js';

/** Which pods are read. Not two with the same stream of pods unless all of their pods are the same. */
interface PodScope {
  readonly namespaces: readonly Namespace[];
  readonly app: App | undefined;
}

export const podScopes = {
  all: { namespaces: [], app: undefined },
  'one namespace': { namespaces: ['shop'], app: undefined },
  'two namespaces': { namespaces: ['media', 'ops'], app: undefined },
  'one app': { namespaces: [], app: 'cart' },
} as const satisfies Readonly<Record<string, PodScope>>;

export const workloadKinds = ['controllers', 'labels', 'selectors', 'none'] as const;

export interface HistorySettings {
  readonly pods: keyof typeof podScopes;
  readonly role: 'front' | undefined;
  readonly workloads: (typeof workloadKinds)[number];
  readonly ttlSeconds: number;
}

const workloadTexts: Readonly<Record<HistorySettings['workloads'], string>> = {
  controllers: 'controllers: true',
  labels: 'labels: [app]',
  selectors: 'selectors: [{name: all, selector: ""}, {name: carts, selector: app=cart}]',
  none: 'controllers: false',
};

/** The settings file. Kubelets are asked through the API server, which does not have them. */
export function settingsText({ pods, role, workloads, ttlSeconds }: HistorySettings): string {
  const { namespaces, app } = podScopes[pods];
  return [
    'kubelet: {access: proxy}',
    `cache: {ttl: ${ttlSeconds}s}`,
    `workloads: {${workloadTexts[workloads]}}`,
    `cluster: {namespaces: [${namespaces.join(', ')}], podSelector: "${app === undefined ? '' : `app=${app}`}", nodeSelector: "${role === undefined ? '' : `role=${role}`}"}`,
  ].join('\n');
}

/** The streams of pods that these settings need. */
export function streamsOf({ pods }: HistorySettings): readonly string[] {
  const { namespaces: some, app } = podScopes[pods];
  return some.length === 0 ? [streamOf(undefined, app)] : some.map((namespace) => streamOf(namespace, app));
}

/** Whether an eviction of the pod is one of these settings' evictions. */
export function isCovered({ pods, role }: HistorySettings, { namespace, app, nodeName }: SimulatedPod): boolean {
  const scope = podScopes[pods];
  const allowed: readonly string[] = scope.namespaces.length === 0 ? namespaces : scope.namespaces;
  const isOnNode = role === undefined || (knownNodes.includes(nodeName) && nodeName.startsWith(role));
  return allowed.includes(namespace) && (scope.app ?? app) === app && isOnNode;
}

/** The workloads that the pod belongs to, as `NAMESPACE/NAME`. */
export function workloadsOf({ workloads }: HistorySettings, pod: SimulatedPod): readonly string[] {
  switch (workloads) {
    case 'controllers':
      return [`${pod.namespace}/${ownerOf(pod)}`];
    case 'labels':
      return [`/${pod.app}`];
    case 'selectors':
      return pod.app === 'cart' ? ['/all', '/carts'] : ['/all'];
    case 'none':
      return [];
  }
}
