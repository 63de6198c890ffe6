import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { delimiter, join } from 'node:path';

import type { Clock } from '../../lib/base/clock.js';
import { messageOf, UserError } from '../../lib/base/errors.js';
import { readCertificate, readCredentialFile } from './credential-files.js';
import { bearer, type CredentialMaterial, type CredentialOverrides, type Credentials } from './credentials.js';
import { impersonationHeaders } from './impersonation.js';
import { type CredentialSource, rotating } from './rotating-credentials.js';

export interface LoadCredentialsOptions {
  /** Takes precedence over everything else. */
  readonly kubeconfigPath?: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Contains `.kube/config`. */
  readonly homeDir: string;
  readonly overrides?: CredentialOverrides;
  /** `/var/run/secrets/kubernetes.io/serviceaccount` without it. */
  readonly inClusterDir?: string;
  readonly clock: Clock;
  /** How long an exec plugin may take; 30 s without it. */
  readonly readTimeoutMs?: number | undefined;
  /** Takes what an exec plugin writes to standard error, such as how to log in. Without it, errors quote that. */
  readonly onPluginOutput?: ((text: string) => void) | undefined;
}

/**
 * Loads them from the kubeconfig of the command line, else of `$KUBECONFIG` (a list; missing files are ignored), else from
 * `~/.kube/config`, else from the service account of the pod that the exporter runs in. A server among the overrides
 * needs none of them. Throws UserError.
 */
export async function loadCredentials(options: LoadCredentialsOptions): Promise<Credentials> {
  const { clock, overrides = {}, environment, readTimeoutMs, onPluginOutput } = options;
  const paths = kubeconfigPaths(options);
  if (paths.length === 0) refuseNames(overrides);
  if (paths.length > 0 || overrides.server !== undefined) {
    const { kubeconfigSource } = await import('./kubeconfig-source.js');
    const source = await kubeconfigSource({ paths, overrides, environment, clock, onPluginOutput });
    return { ...source, ...rotating(source, clock, readTimeoutMs) };
  }
  const source = await inClusterSource(options);
  if (source !== undefined) return { ...source, ...rotating(source, clock) };
  throw new UserError(
    'no credentials for the API server: --kubeconfig and $KUBECONFIG are not set, ' +
      `${homeKubeconfig(options)} does not exist, and $KUBERNETES_SERVICE_HOST and $KUBERNETES_SERVICE_PORT are not set ` +
      '(not running in a cluster); set --kubeconfig FILE',
  );
}

function refuseNames({ context, cluster, user }: CredentialOverrides): void {
  for (const [flag, name] of Object.entries({ context, cluster, user })) {
    if (name !== undefined) throw new UserError(`--${flag} ${name} is set, but there is no kubeconfig`);
  }
}

/** Returns the files to read, of which there may be none. Throws UserError when none of `$KUBECONFIG` exists. */
function kubeconfigPaths(options: LoadCredentialsOptions): readonly string[] {
  if (options.kubeconfigPath !== undefined) return [options.kubeconfigPath];
  const listed = (options.environment['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const existing = (listed.length > 0 ? listed : [homeKubeconfig(options)]).filter((path) => existsSync(path));
  if (listed.length > 0 && existing.length === 0) {
    throw new UserError(`$KUBECONFIG is ${listed.join(delimiter)}, but no such file exists; fix it or unset it`);
  }
  return existing;
}

function homeKubeconfig({ homeDir }: Pick<LoadCredentialsOptions, 'homeDir'>): string {
  return join(homeDir, '.kube', 'config');
}

/**
 * The service account of the pod that the exporter runs in; undefined outside of a pod. Throws UserError when its files
 * are missing.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
 */
async function inClusterSource({
  environment,
  overrides = {},
  inClusterDir: directory = '/var/run/secrets/kubernetes.io/serviceaccount',
}: LoadCredentialsOptions): Promise<CredentialSource | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) return undefined;
  const description = `service account in ${directory}`;
  const impersonation = impersonationHeaders({}, overrides, description);
  const read = async (): Promise<CredentialMaterial> => {
    const [token, ca] = await Promise.all([
      readCredentialFile(join(directory, 'token'), 'service account token'),
      readCertificate(join(directory, 'ca.crt'), 'CA of the API server'),
    ]);
    return { headers: { ...bearer(token), ...impersonation }, tls: { ca, rejectUnauthorized: true } };
  };
  await read().catch((error: unknown) => {
    const hint = 'mount it with automountServiceAccountToken: true, or use a kubeconfig';
    throw new UserError(`${messageOf(error)}; ${hint}`, { cause: error });
  });
  const namespaceFile = join(directory, 'namespace');
  return {
    server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
    proxyUrl: undefined, // the address is one of the cluster's network, which a proxy of $HTTPS_PROXY cannot reach
    namespace: await readCredentialFile(namespaceFile, 'namespace').catch(() => undefined),
    description,
    read,
  };
}
