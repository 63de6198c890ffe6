/** The table of all paths that the exporter serves besides that of the metrics. */

/** What there are lists of: the names of pages and of `/api/v1/…`. */
export const listKinds = [
  'problems',
  'nodes',
  'pods',
  'containers',
  'volumes',
  'workloads',
  'namespaces',
  'evictions',
] as const;
/** Objects that have a page of their own, with the parts of its address. */
export const objectRoutes = {
  node: ['nodes', ':node'],
  pod: ['pods', ':namespace', ':pod'],
  workload: ['workloads', ':namespace', ':type', ':workload'],
  namespace: ['namespaces', ':namespace'],
  eviction: ['evictions', ':uid'],
} as const;

export type ObjectKind = keyof typeof objectRoutes;

export function isObjectKind(kind: string): kind is ObjectKind {
  return Object.hasOwn(objectRoutes, kind);
}

/** Before the paths of pages, for the same as JSON. */
export const apiPrefix = '/api/v1';

/** Pages of lists, and the one that finds things of all kinds. */
export const listPages = [...listKinds, 'search'] as const;

/** What there is below {@link apiPrefix}, in the form of OpenAPI. */
export const openApiPath = `${apiPrefix}/openapi.json`;

/** The pages besides that at `/`, as patterns of Express. Each is below {@link apiPrefix} as JSON too. */
export const viewPaths: readonly string[] = [
  ...listPages.map((kind) => `/${kind}`),
  ...Object.values(objectRoutes).map((parts) => `/${parts.join('/')}`),
];

/** The overview has two addresses. */
export const overviewPath = '/status';

/** How the exporter does; as JSON it is part of the status. */
export const exporterPath = '/exporter';

/** The status as JSON. */
export const statusPath = `${apiPrefix}/status`;

export const reloadPath = '/-/reload';

/** Those of Kubernetes, and those of Prometheus: https://kubernetes.io/docs/reference/using-api/health-checks/ */
export const livenessPaths = ['/livez', '/healthz', '/-/healthy'] as const;
export const readinessPaths = ['/readyz', '/-/ready'] as const;

/** As patterns of Express. */
const servedPaths: readonly string[] = [
  '/',
  overviewPath,
  exporterPath,
  statusPath,
  openApiPath,
  ...livenessPaths,
  ...readinessPaths,
  reloadPath,
  ...viewPaths.flatMap((path) => [path, `${apiPrefix}${path}`]),
];

/** Returns whether the exporter serves something else at the path than metrics. */
export function isServedPath(path: string): boolean {
  const parts = path.split('/');
  return servedPaths.some((served) => {
    const pattern = served.split('/');
    return pattern.length === parts.length && pattern.every((part, at) => part.startsWith(':') || part === parts[at]);
  });
}

const probePaths: readonly (string | undefined)[] = [...livenessPaths, ...readinessPaths];

/** Whether a request asks how the process is, as the kubelet does. */
export function isProbe({ url }: { readonly url?: string | undefined }): boolean {
  return probePaths.includes(url?.split('?', 1)[0]);
}
