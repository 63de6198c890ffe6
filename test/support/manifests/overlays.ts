/** The overlays and components, and which of them can be combined. */
export const overlayNames = [
  'deployment',
  'sharded',
  'node-local',
  'node-local-agent',
  'sidecar',
  'kind',
  'gke-autopilot',
] as const;
export type OverlayName = (typeof overlayNames)[number];

export const componentNames = [
  'service-monitor',
  'pod-monitor',
  'prometheus-rule',
  'dashboards',
  'network-policy',
  'kubernetes-authorization',
  'nodes-configz',
  'node-proxy',
] as const;
export type ComponentName = (typeof componentNames)[number];

/** The additional permissions of a component. */
export const grantsOfComponent: Partial<Readonly<Record<ComponentName, readonly string[]>>> = {
  'kubernetes-authorization': [
    'create authentication.k8s.io/tokenreviews',
    'create authorization.k8s.io/subjectaccessreviews',
  ],
  'nodes-configz': ['get nodes/configz'],
  'node-proxy': ['get nodes/proxy'],
};

export const leastGrants = ['get nodes/stats', 'list nodes', 'list pods', 'watch nodes', 'watch pods'];

/** The Role for people with the command line, as `verb resource [names]`. `shards`: of an exporter that has them. */
export function readerGrants(name: string, shards = 0): readonly string[] {
  const services = [`${name}:metrics`, `https:${name}:metrics`];
  const ofService = ['list services', `get services ${name}`, `get services/proxy ${services.join(' ')}`];
  if (shards === 0) return ofService;
  const pods = Array.from({ length: shards }, (_, ordinal) => `${name}-${ordinal}:9797`);
  return [...ofService, 'list pods', `get pods/proxy ${pods.flatMap((pod) => [pod, `https:${pod}`]).join(' ')}`];
}

/** The number of shards of an overlay; undefined where no Role can name what readers ask. */
export const readableShards: Readonly<Record<OverlayName, number | undefined>> = {
  deployment: 0,
  sharded: 3,
  'node-local': undefined,
  'node-local-agent': undefined,
  sidecar: undefined,
  kind: 0,
  'gke-autopilot': 0,
};

/** What the agent needs and no other exporter may have, as `policyFaults` reports it. */
export const agentFaults: readonly string[] = ['pod: it mounts a path of the host'];

export function expectedFaults(overlay: OverlayName): readonly string[] {
  return overlay === 'node-local-agent' ? agentFaults : [];
}

/** A sidecar cannot be reached from outside its pod. */
const forReachablePods: readonly ComponentName[] = ['service-monitor', 'pod-monitor', 'network-policy'];

export type Misfit = 'selects nothing' | 'settings contradict';

/** Why an overlay does not support a component; undefined if it does. */
export function misfit(overlay: OverlayName, component: ComponentName): Misfit | undefined {
  if (overlay === 'sidecar' && forReachablePods.includes(component)) return 'selects nothing';
  if (['kind', 'gke-autopilot'].includes(overlay) && component === 'node-proxy') return 'settings contradict';
  return undefined;
}
