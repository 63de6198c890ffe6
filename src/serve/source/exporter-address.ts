import { UsageError } from '../../lib/base/errors.js';
import { commandLine, escapeInvisible, withoutUserInfo } from '../../lib/base/text.js';

/** What commands read that serve nothing. */
export const viewOrigins = ['exporter', 'kubelets'] as const;

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

/** A pod of an exporter. */
export interface ExporterPod {
  readonly namespace: string;
  readonly name: string;
  /** Where it listens. */
  readonly port: number;
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
    `--exporter: found "${escapeInvisible(withoutSecrets(text))}", allowed: a URL such as http://localhost:9797, or NAMESPACE/SERVICE[:PORT]`,
  );
}

/** Its scheme, host, port and path, so far as it has any. */
function withoutSecrets(text: string): string {
  const url = withoutUserInfo(text).replace(/(?<=[?#]).*$/s, '…');
  return /^[^@/:]*:(?!\/\/|\d*(?:[/?#]|$))/.test(url) ? '…' : url;
}

/** Returns the given flags that name files. */
export function fileWords({ tokenFile, basicAuthFile, caFile }: ExporterFiles): readonly string[] {
  return flagWords({
    'exporter-token-file': tokenFile,
    'exporter-basic-auth-file': basicAuthFile,
    'exporter-ca-file': caFile,
  });
}

/** Returns the flags that have a value, each before it. */
export function flagWords(flags: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value]));
}

/**
 * Returns the files, undefined without any. Throws UsageError when they do not fit the address, or one another: the API server
 * removes the header Authorization, which is for itself.
 */
export function checkedFiles(address: ExporterAddress | undefined, files: ExporterFiles): ExporterFiles | undefined {
  const words = fileWords(files);
  const [flag, , other] = words;
  if (flag === undefined) return undefined;
  if (files.tokenFile !== undefined && files.basicAuthFile !== undefined) {
    throw new UsageError(`${flag} and ${other} exclude each other`);
  }
  const isTls = files.caFile !== undefined;
  if (address === undefined || !('url' in address)) {
    const [first, second] = forwardCommands(address ?? defaultExporter, isTls ? 'https' : 'http');
    const reason = "the API server's proxy passes no credentials on and verifies no certificate";
    throw new UsageError(
      `${flag} needs --exporter URL: ${reason}. Type:\n  ${first}\n  … ${second} ${commandLine(words)}`,
    );
  }
  if (isTls && address.url.protocol !== 'https:') {
    throw new UsageError('--exporter-ca-file needs an --exporter with https://');
  }
  return files;
}

/** Returns what makes a Service's port one of loopback, and the flag that names it. */
export function forwardCommands(
  { namespace, service, port }: ServiceAddress,
  scheme: 'http' | 'https' = 'http',
): readonly [string, string] {
  const ports = port === defaultExporter.port ? '9797' : `9797:${port}`;
  const words = ['kubectl', '-n', namespace, 'port-forward', `service/${service}`, ports];
  return [commandLine(words), `--exporter ${scheme}://127.0.0.1:9797`];
}

/** Nothing but protocol, host, port and path. */
function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === '';
}

/** https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls */
export function proxyPath(exporter: ServiceAddress | ExporterPod, scheme: 'http' | 'https'): string {
  const { namespace, port } = exporter;
  const [folder, name] = 'service' in exporter ? ['services', exporter.service] : ['pods', exporter.name];
  return `/api/v1/namespaces/${namespace}/${folder}/${scheme === 'https' ? 'https:' : ''}${name}:${port}/proxy`;
}
