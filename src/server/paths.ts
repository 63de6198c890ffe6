import type { IncomingMessage } from 'node:http';

/** The status as JSON. */
export const statusPath = '/api/v1/status';

export const reloadPath = '/-/reload';

/** https://kubernetes.io/docs/reference/using-api/health-checks/ */
export const livenessPaths = ['/livez', '/healthz'] as const;
export const readinessPath = '/readyz';

const probePaths: readonly (string | undefined)[] = [...livenessPaths, readinessPath];

/** Whether a request asks how the process is, as the kubelet does. */
export function isProbe({ url }: Pick<IncomingMessage, 'url'>): boolean {
  return probePaths.includes(url?.split('?', 1)[0]);
}
