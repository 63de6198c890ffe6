export interface TlsMaterial {
  /** PEM; the system's authorities without it. */
  readonly ca?: string;
  /** Client certificate and its key, PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must carry, instead of the one in the URL. */
  readonly serverName?: string;
  readonly rejectUnauthorized: boolean;
}

/** Where the API server is and who we are to it. Nothing of it may be logged but `server` and `description`. */
export interface Credentials {
  /** `https:` or `http:`; its path is the prefix of every request's path. */
  readonly server: URL;
  /** `http:`, `https:` or `socks…:`. */
  readonly proxyUrl: URL | undefined;
  /** The namespace of the context or of the service account. */
  readonly namespace: string | undefined;
  /** Where they come from, for messages. */
  readonly description: string;
  /** Authorization header(s). Cached for at most 60 s; throws RequestError with reason `unauthorized`. */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Cached for at most 60 s; throws RequestError with reason `unauthorized`. */
  tls(): Promise<TlsMaterial>;
  /** After a 401: what is cached is not used again. */
  invalidate(): void;
}

export interface StaticCredentialsOptions {
  readonly server: URL;
  /** PEM. */
  readonly ca?: string;
  readonly token?: string;
}

/** Credentials that never change. */
export function staticCredentials({ server, ca, token }: StaticCredentialsOptions): Credentials {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const tls: TlsMaterial = { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: true };
  return {
    server,
    proxyUrl: undefined,
    namespace: undefined,
    description: 'static credentials',
    headers: () => Promise.resolve(headers),
    tls: () => Promise.resolve(tls),
    invalidate: () => undefined,
  };
}
