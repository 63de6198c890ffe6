import { createPrivateKey, X509Certificate } from 'node:crypto';

import type { Clock } from '../../lib/base/clock.js';
import { UserError } from '../../lib/base/errors.js';
import { readCertificate, readCredentialFile } from './credential-files.js';
import { bearer, type CredentialMaterial, type Credentials, type TlsMaterial } from './credentials.js';
import { RotatingCredentials } from './rotating-credentials.js';

export interface KubeletTlsSettings {
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** The name that a kubelet's certificate must carry; `{node}` stands for the node's name. */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

export interface KubeletCredentialsOptions {
  readonly api: Credentials;
  readonly bearerTokenFile: string | undefined;
  readonly tls: KubeletTlsSettings;
  readonly clock: Clock;
}

/**
 * Authenticates to the kubelets and verifies their certificates. Uses the API server's CA and credentials, unless there
 * are settings for the kubelets: a token file or a client certificate for them replaces both token and client certificate
 * of the API server, which the kubelets then never receive. Files are read again every 60 s, after a 401 and after a failed
 * TLS verification.
 */
export class KubeletCredentials implements Pick<Credentials, 'material' | 'invalidate' | 'reread'> {
  readonly #api: Credentials;
  readonly #files: RotatingCredentials;
  readonly #hasOwnCredentials: boolean;

  constructor(options: KubeletCredentialsOptions) {
    const { api, bearerTokenFile, tls, clock } = options;
    this.#api = api;
    this.#hasOwnCredentials = bearerTokenFile !== undefined || tls.certFile !== undefined;
    const source = {
      server: api.server,
      proxyUrl: api.proxyUrl,
      namespace: api.namespace,
      description: 'credentials for the kubelets',
      read: () => readFiles(options),
      forget: () => undefined,
    };
    this.#files = new RotatingCredentials({ source, clock });
  }

  /** Throws RequestError `unauthorized` when a file cannot be read. */
  async material(): Promise<CredentialMaterial> {
    return this.#combined(await this.#files.material(), await this.#api.material());
  }

  async reread(): Promise<CredentialMaterial> {
    return this.#combined(await this.#files.reread(), await this.#api.reread());
  }

  /** After a 401: the cached material is not used again. */
  invalidate(): void {
    if (this.#hasOwnCredentials) this.#files.invalidate();
    else this.#api.invalidate();
  }

  #combined(files: CredentialMaterial, api: CredentialMaterial): CredentialMaterial {
    const { headers, tls } = this.#hasOwnCredentials ? files : api;
    const { serverName, rejectUnauthorized } = files.tls;
    const ca = files.tls.ca ?? api.tls.ca;
    return { headers, tls: { ca, cert: tls.cert, key: tls.key, serverName, rejectUnauthorized } };
  }
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
async function readPair({ certFile, keyFile }: KubeletTlsSettings): Promise<Pick<TlsMaterial, 'cert' | 'key'>> {
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
