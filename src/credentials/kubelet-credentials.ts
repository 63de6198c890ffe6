import { createPrivateKey, X509Certificate } from 'node:crypto';

import type { Clock } from '../base/clock.js';
import { UserError } from '../base/errors.js';
import { checkCertificate, readCredentialFile } from './credential-files.js';
import type { Credentials, TlsMaterial } from './credentials.js';
import { type CredentialMaterial, RotatingCredentials } from './rotating-credentials.js';

export interface KubeletTlsSettings {
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** The name that a kubelet's certificate must be made out to; `{node}` stands for the node's name. */
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
 * Who we are to the kubelets, and who may be one. The API server's CA and credentials, unless there are settings for the
 * kubelets: a token file or a client certificate of their own replaces whatever we are to the API server, so that
 * the kubelets never see it. Files are read again every 60 s and after a refusal.
 */
export class KubeletCredentials {
  readonly #options: KubeletCredentialsOptions;
  readonly #files: RotatingCredentials;
  readonly #hasOwnCredentials: boolean;

  constructor(options: KubeletCredentialsOptions) {
    this.#options = options;
    this.#hasOwnCredentials = options.bearerTokenFile !== undefined || options.tls.certFile !== undefined;
    const { server, proxyUrl, namespace } = options.api;
    const source = {
      server,
      proxyUrl,
      namespace,
      description: 'credentials for the kubelets',
      read: () => readFiles(options),
      forget: () => undefined,
    };
    this.#files = new RotatingCredentials({ source, clock: options.clock });
  }

  /** Throws RequestError `unauthorized` when a file cannot be read. */
  async headers(): Promise<Readonly<Record<string, string>>> {
    return this.#own.headers();
  }

  /** Throws RequestError `unauthorized` when a file cannot be read. */
  async tls(): Promise<TlsMaterial> {
    const { ca: ownCa, ...own } = await this.#files.tls();
    const api = await this.#options.api.tls();
    const ca = ownCa ?? api.ca;
    const { cert, key } = this.#hasOwnCredentials ? own : api;
    return {
      rejectUnauthorized: own.rejectUnauthorized,
      ...(own.serverName === undefined ? {} : { serverName: own.serverName }),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    };
  }

  /** After a 401: what is cached is not used again. */
  invalidate(): void {
    this.#own.invalidate();
  }

  get #own(): Credentials {
    return this.#hasOwnCredentials ? this.#files : this.#options.api;
  }
}

async function readFiles({ bearerTokenFile, tls }: KubeletCredentialsOptions): Promise<CredentialMaterial> {
  const [token, ca, pair] = await Promise.all([
    bearerTokenFile === undefined ? undefined : readCredentialFile(bearerTokenFile, 'kubelet.bearerTokenFile'),
    tls.caFile === undefined ? undefined : readCa(tls.caFile),
    readPair(tls),
  ]);
  return {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...pair,
      ...(tls.serverName === undefined ? {} : { serverName: tls.serverName }),
      rejectUnauthorized: !tls.insecureSkipVerify,
    },
  };
}

async function readCa(path: string): Promise<string> {
  const ca = await readCredentialFile(path, 'kubelet.tls.caFile');
  checkCertificate(ca, `kubelet.tls.caFile ${path}`);
  return ca;
}

/** A pair that does not fit is a rotation half done: refused here, it leaves the last good pair in use. */
async function readPair({ certFile, keyFile }: KubeletTlsSettings): Promise<Pick<TlsMaterial, 'cert' | 'key'>> {
  if (certFile === undefined || keyFile === undefined) return {};
  const [cert, key] = await Promise.all([
    readCredentialFile(certFile, 'kubelet.tls.certFile'),
    readCredentialFile(keyFile, 'kubelet.tls.keyFile'),
  ]);
  checkCertificate(cert, `kubelet.tls.certFile ${certFile}`);
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new UserError(`kubelet.tls.keyFile ${keyFile} is not the key of kubelet.tls.certFile ${certFile}`);
  }
  return { cert, key };
}
