import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';

import { messageOf, UserError } from '../base/errors.js';
import { checkCertificate, readCredentialFile } from './credential-files.js';
import type { CredentialMaterial, CredentialSource } from './rotating-credentials.js';

export interface InClusterOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the service account's files are mounted. */
  readonly directory: string;
}

/**
 * The service account of the pod that we run in; undefined outside of one. Throws UserError when its files are missing.
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
    const mend = 'mount it with automountServiceAccountToken: true, or use a kubeconfig';
    throw new UserError(`${messageOf(error)}; ${mend}`, { cause: error });
  });
  return {
    server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
    proxyUrl: undefined,
    namespace: await readNamespace(directory),
    description: `service account in ${directory}`,
    read,
    forget: () => undefined,
  };
}

async function readMaterial(directory: string): Promise<CredentialMaterial> {
  const caPath = join(directory, 'ca.crt');
  const [token, ca] = await Promise.all([
    readCredentialFile(join(directory, 'token'), 'service account token'),
    readCredentialFile(caPath, 'CA of the API server'),
  ]);
  checkCertificate(ca, `CA of the API server ${caPath}`);
  return { headers: { authorization: `Bearer ${token}` }, tls: { ca, rejectUnauthorized: true } };
}

async function readNamespace(directory: string): Promise<string | undefined> {
  const text = await readFile(join(directory, 'namespace'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}
