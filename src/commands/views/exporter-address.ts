import { UsageError } from '../../base/errors.js';
import { withoutUserInfo } from '../../base/text.js';
import { terminalText } from '../text/terminal-text.js';

/** Files with what a protected exporter requires of its clients. They are read for each request. */
export interface ExporterFiles {
  readonly tokenFile?: string | undefined;
  /** One line, `USER:PASSWORD`. */
  readonly basicAuthFile?: string | undefined;
  /** PEM. */
  readonly caFile?: string | undefined;
}

/** A Service, read through the API server's proxy. */
export interface ServiceAddress {
  readonly namespace: string;
  readonly service: string;
  /** Its name or number. */
  readonly port: string;
}

/** Where an exporter is read. */
export type ExporterAddress = { readonly url: URL } | ServiceAddress;

/** The Service of this project's manifests. */
export const defaultExporter: ServiceAddress = {
  namespace: 'ephemeral-storage-exporter',
  service: 'ephemeral-storage-exporter',
  port: 'metrics',
};

const form = /^(?<namespace>[a-z0-9][-a-z0-9]*)\/(?<service>[a-z0-9][-a-z0-9]*)(?::(?<port>[-a-z0-9]+))?$/;

/** `http://HOST:PORT`, or `NAMESPACE/SERVICE` with an optional `:PORT` (its name or number). Throws UsageError. */
export function parseExporter(text: string): ExporterAddress {
  const { namespace, service, port = 'metrics' } = form.exec(text)?.groups ?? {};
  if (namespace !== undefined && service !== undefined) return { namespace, service, port };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isPlain(url)) return { url };
  throw new UsageError(
    `--exporter: found "${terminalText(withoutSecrets(text))}", allowed: a URL such as http://localhost:9797, or NAMESPACE/SERVICE[:PORT]`,
  );
}

/** Its scheme, host, port and path, so far as it has any. */
function withoutSecrets(text: string): string {
  const url = withoutUserInfo(text).replace(/(?<=[?#]).*$/s, '…');
  return /^[^@/:]*:(?!\/\/|\d*(?:[/?#]|$))/.test(url) ? '…' : url;
}

/**
 * Returns the files, undefined without any. Throws UsageError when they do not fit the address, or one another: anyone who may create
 * Services can give one the label, so that credentials are for an exporter that is named.
 */
export function checkedFiles(address: ExporterAddress | undefined, files: ExporterFiles): ExporterFiles | undefined {
  const { tokenFile, basicAuthFile, caFile } = files;
  if (Object.values(files).every((file) => file === undefined)) return undefined;
  const [flag, other] = Object.entries({
    '--exporter-token-file': tokenFile,
    '--exporter-basic-auth-file': basicAuthFile,
  }).flatMap(([name, file]) => (file === undefined ? [] : [name]));
  if (other !== undefined) throw new UsageError(`${flag} and ${other} exclude each other`);
  if (flag !== undefined && address === undefined) {
    throw new UsageError(`${flag} needs --exporter: credentials are for an exporter that is named`);
  }
  if (caFile !== undefined && address !== undefined && 'url' in address && address.url.protocol !== 'https:') {
    throw new UsageError('--exporter-ca-file needs an --exporter with https://');
  }
  return files;
}

/** The API server removes the header Authorization, which is for itself. */
export const proxyLimit = "the API server's proxy for services passes on no credentials";

/** Nothing but protocol, host, port and path. */
function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === '';
}

/** https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls */
export function proxyPath({ namespace, service, port }: ServiceAddress, scheme: 'http' | 'https'): string {
  return `/api/v1/namespaces/${namespace}/services/${prefixOf(scheme)}${service}:${port}/proxy`;
}

/** The same for one pod. */
export function podProxyPath(
  { namespace, name, port }: { readonly namespace: string; readonly name: string; readonly port: number },
  scheme: 'http' | 'https',
): string {
  return `/api/v1/namespaces/${namespace}/pods/${prefixOf(scheme)}${name}:${port}/proxy`;
}

function prefixOf(scheme: 'http' | 'https'): string {
  return scheme === 'https' ? 'https:' : '';
}
