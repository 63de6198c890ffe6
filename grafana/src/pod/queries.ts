export const itself = { matchers: ['namespace="$namespace"', 'pod="$pod"'] } as const;
export const container = ['container', 'node'];
export const volume = ['volume', 'type', 'medium', 'counted', 'node'];
export const itsNode = { matchers: ['node="$pod_node"'] } as const;
