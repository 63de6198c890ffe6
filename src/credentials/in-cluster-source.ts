import { isIPv6 } from 'node:net';
import { join } from 'node:path';

import { messageOf, UserError } from '../base/errors.js';
import { readCertificate, readCredentialFile } from './credential-files.js';
import { bearer, type CredentialMaterial } from './credentials.js';
import type { CredentialSource } from './rotating-credentials.js';

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the service account's files are mounted. */
  readonly directory: string;
}

/**
 * The service account of the pod that the exporter runs in; undefined outside of a pod. Throws UserError when its files
 * are missing.
 * https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/#directly-accessing-the-rest-api
 */
export async function inClusterSource({
  environment,
  directory,
}: InClusterOptions): Promise<CredentialSource | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) return undefined;
  const read = (): Promise<CredentialMaterial> => readMaterial(directory);
  await read().catch((error: unknown) => {
    const hint = 'mount it with automountServiceAccountToken: true, or use a kubeconfig';
    throw new UserError(`${messageOf(error)}; ${hint}`, { cause: error });
  });
  const namespaceFile = join(directory, 'namespace');
  return {
    server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
    proxyUrl: undefined, // the address is one of the cluster's network, which a proxy of $HTTPS_PROXY cannot reach
    namespace: await readCredentialFile(namespaceFile, 'namespace').catch(() => undefined),
    description: `service account in ${directory}`,
    read,
    forget: () => undefined,
  };
}

async function readMaterial(directory: string): Promise<CredentialMaterial> {
  const [token, ca] = await Promise.all([
    readCredentialFile(join(directory, 'token'), 'service account token'),
    readCertificate(join(directory, 'ca.crt'), 'CA of the API server'),
  ]);
  return { headers: bearer(token), tls: { ca, rejectUnauthorized: true } };
}
