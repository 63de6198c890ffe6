import { stringify } from 'yaml';

import type { KeyPair } from './certificates.js';

export interface KubeconfigOptions {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly client: KeyPair;
  /** Of the cluster. */
  readonly name: string;
}

/** A kubeconfig with two contexts: one with the name of the cluster and a token, the current one, and `NAME-certificate`. */
export function kubeconfigOf({ server, caPem, token, client, name }: KubeconfigOptions): string {
  const withCertificate = `${name}-certificate`;
  const context = (user: string): object => ({ name: user, context: { cluster: name, user } });
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(caPem) } }],
    contexts: [context(name), context(withCertificate)],
    users: [
      { name, user: { token } },
      {
        name: withCertificate,
        user: { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
      },
    ],
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
