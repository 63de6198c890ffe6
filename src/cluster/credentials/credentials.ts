export interface TlsMaterial {
  /** PEM; the system's authorities without it. */
  readonly ca?: string | undefined;
  /** Client certificate and its key, PEM. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The name that the server's certificate must carry, instead of the one in the URL. */
  readonly serverName?: string | undefined;
  readonly rejectUnauthorized: boolean;
}

/** The result of reading the sources once: never a token from before and a certificate from after a rotation. */
export interface CredentialMaterial {
  /** Authorization and impersonation headers; a list is one header for each of its items. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

export interface Authentication {
  /** Cached for at most 60 s. Throws RequestError `unauthorized` when the sources cannot be read. */
  material(): Promise<CredentialMaterial>;
  /** After a 401: the cached material is not used again. */
  invalidate(): void;
  /**
   * After a failed TLS verification: the files may have been replaced since they were read. As `material`, from the
   * sources unless they were read within the last second.
   */
  reread(): Promise<CredentialMaterial>;
}

/** The address of the API server and how to authenticate to it. Only `server` and `description` may be logged. */
export interface Credentials extends Authentication {
  /** `https:` or `http:`; its path is the prefix of every request's path. */
  readonly server: URL;
  /** `http:`, `https:` or `socks…:`. */
  readonly proxyUrl: URL | undefined;
  /** The namespace of the kubeconfig's context or of the service account; undefined when they name none. */
  readonly namespace: string | undefined;
  /** Where the credentials come from, for messages. */
  readonly description: string;
  /** Responses should not be compressed: `disable-compression` of the kubeconfig's cluster. Default: false. */
  readonly disablesCompression?: boolean | undefined;
}

/**
 * Replaces parts of a kubeconfig, as flags of kubectl do; whom to act as also applies to a service account. `server` leaves the
 * cluster's other settings as they are, but for the name in the server's certificate.
 * https://kubernetes.io/docs/reference/kubectl/generated/kubectl_options/
 */
export interface CredentialOverrides {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroup?: readonly string[] | undefined;
}

/** Credentials that never change. */
export function staticCredentials({
  server,
  ca,
  token,
  userInfo,
}: {
  readonly server: URL;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
  /** `USER:PASSWORD`. */
  readonly userInfo?: string | undefined;
}): Credentials {
  const material = {
    headers: { ...bearer(token), ...basic(userInfo) },
    tls: { ca, rejectUnauthorized: true },
  };
  return {
    server,
    proxyUrl: undefined,
    namespace: undefined,
    description: 'static credentials',
    material: () => Promise.resolve(material),
    invalidate: () => undefined,
    reread: () => Promise.resolve(material),
  };
}

/** The header for a bearer token; none without a token. */
export function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/** The header for a `USER:PASSWORD`; none without one. https://www.rfc-editor.org/rfc/rfc7617#section-2 */
export function basic(userInfo: string | undefined): Readonly<Record<string, string>> {
  return userInfo === undefined ? {} : { authorization: `Basic ${Buffer.from(userInfo).toString('base64')}` };
}
