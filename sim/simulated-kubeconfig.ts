import { stringify } from 'yaml';

import type { KeyPair } from './certificates.js';

export interface KubeconfigOptions {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
  readonly client: KeyPair;
}

/** A kubeconfig with two contexts: `simulated` with a token, which is the current one, and `simulated-certificate`. */
export function kubeconfigOf({ server, caPem, token, client }: KubeconfigOptions): string {
  const context = (name: string): object => ({ name, context: { cluster: 'simulated', user: name } });
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'simulated',
    clusters: [{ name: 'simulated', cluster: { server, 'certificate-authority-data': base64(caPem) } }],
    contexts: [context('simulated'), context('simulated-certificate')],
    users: [
      { name: 'simulated', user: { token } },
      {
        name: 'simulated-certificate',
        user: { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) },
      },
    ],
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
