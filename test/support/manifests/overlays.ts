/** The overlays and components, and which of them can be combined. */
export const overlayNames = ['deployment', 'sharded', 'node-local', 'sidecar'] as const;
export type OverlayName = (typeof overlayNames)[number];

export const componentNames = [
  'service-monitor',
  'prometheus-rule',
  'dashboards',
  'network-policy',
  'kubernetes-authorization',
] as const;
export type ComponentName = (typeof componentNames)[number];

/** The additional permissions of a component. */
export const grantsOfComponent: Partial<Readonly<Record<ComponentName, readonly string[]>>> = {
  'kubernetes-authorization': [
    'create authentication.k8s.io/tokenreviews',
    'create authorization.k8s.io/subjectaccessreviews',
  ],
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
  sidecar: undefined,
};

/** What the agent needs and no other exporter may have, as `policyFaults` reports it. */
export const agentFaults: readonly string[] = ['pod: it mounts a path of the host'];

/** Whether an overlay supports a component: a sidecar cannot be reached from outside its pod, and others would select nothing. */
export const fits = (overlay: OverlayName, component: ComponentName): boolean =>
  overlay !== 'sidecar' || !['service-monitor', 'network-policy'].includes(component);
