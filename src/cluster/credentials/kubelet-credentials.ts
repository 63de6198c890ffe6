import { createPrivateKey, X509Certificate } from 'node:crypto';

import type { Clock } from '../../lib/base/clock.js';
import { UserError } from '../../lib/base/errors.js';
import { readCertificate, readCredentialFile } from './credential-files.js';
import { type Authentication, bearer, type CredentialMaterial, type TlsMaterial } from './credentials.js';
import { rotating } from './rotating-credentials.js';

export interface KubeletCredentialsOptions {
  readonly api: Authentication;
  readonly bearerTokenFile: string | undefined;
  readonly tls: {
    readonly caFile: string | undefined;
    readonly certFile: string | undefined;
    readonly keyFile: string | undefined;
    /** The name that a kubelet's certificate must carry; `{node}` stands for the node's name. */
    readonly serverName: string | undefined;
    readonly insecureSkipVerify: boolean;
  };
  readonly clock: Clock;
}

/**
 * Authenticates to the kubelets and verifies their certificates. Uses the API server's CA and credentials, unless there
 * are settings for the kubelets: a token file or a client certificate for them replaces both token and client certificate
 * of the API server, which the kubelets then never receive. Files are read again every 60 s, after a 401 and after a failed
 * TLS verification.
 */
export function kubeletCredentials(options: KubeletCredentialsOptions): Authentication {
  const { api, bearerTokenFile, tls, clock } = options;
  const source = { description: 'credentials for the kubelets', read: () => readFiles(options) };
  const files = rotating(source, clock);
  const sender = bearerTokenFile !== undefined || tls.certFile !== undefined ? files : api;
  const combined = async (reading: 'material' | 'reread'): Promise<CredentialMaterial> => {
    const read = { files: await files[reading](), api: await api[reading]() };
    const { headers, tls: sent } = sender === files ? read.files : read.api;
    const { serverName, rejectUnauthorized, ca = read.api.tls.ca } = read.files.tls;
    return { headers, tls: { ca, cert: sent.cert, key: sent.key, serverName, rejectUnauthorized } };
  };
  return {
    material: () => combined('material'),
    reread: () => combined('reread'),
    invalidate: () => {
      sender.invalidate();
    },
  };
}

async function readFiles({ bearerTokenFile, tls }: KubeletCredentialsOptions): Promise<CredentialMaterial> {
  const [token, ca, pair] = await Promise.all([
    bearerTokenFile === undefined ? undefined : readCredentialFile(bearerTokenFile, 'kubelet.bearerTokenFile'),
    tls.caFile === undefined ? undefined : readCertificate(tls.caFile, 'kubelet.tls.caFile'),
    readPair(tls),
  ]);
  const { serverName, insecureSkipVerify } = tls;
  return { headers: bearer(token), tls: { ca, ...pair, serverName, rejectUnauthorized: !insecureSkipVerify } };
}

/** A key that does not match its certificate is a rotation half done: refused here, it leaves the last good pair in use. */
async function readPair({
  certFile,
  keyFile,
}: KubeletCredentialsOptions['tls']): Promise<Pick<TlsMaterial, 'cert' | 'key'>> {
  if (certFile === undefined || keyFile === undefined) return {};
  const [cert, key] = await Promise.all([
    readCertificate(certFile, 'kubelet.tls.certFile'),
    readCredentialFile(keyFile, 'kubelet.tls.keyFile'),
  ]);
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new UserError(`kubelet.tls.keyFile ${keyFile} is not the key of kubelet.tls.certFile ${certFile}`);
  }
  return { cert, key };
}
