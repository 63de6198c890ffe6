import { terminalText } from '../text/terminal-text.js';
import { UsageError } from '../usage-error.js';

/** Where an exporter is asked for what it has seen. */
export type ExporterAddress =
  | { readonly url: URL }
  /** Through the API server's proxy for services. */
  | { readonly namespace: string; readonly service: string; readonly port: string };

/** The Service of this project's manifests. */
export const defaultExporter: ExporterAddress = {
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
    `--exporter: found "${terminalText(text)}", allowed: a URL such as http://localhost:9797, or NAMESPACE/SERVICE[:PORT]`,
  );
}

/** Nothing but protocol, host, port and path. */
function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && `${username}${password}${search}${hash}` === '';
}

/** https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls */
export function proxyPath({
  namespace,
  service,
  port,
}: Extract<ExporterAddress, { readonly service: string }>): string {
  return `/api/v1/namespaces/${namespace}/services/${service}:${port}/proxy`;
}
