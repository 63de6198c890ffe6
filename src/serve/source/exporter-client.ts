import { readCertificate, readCredentialFile } from '../../cluster/credentials/credential-files.js';
import { type Credentials, staticCredentials } from '../../cluster/credentials/credentials.js';
import { ApiClient } from '../../cluster/http/api-client.js';
import {
  apiErrorFromResponse,
  type ErrorResponse,
  reasonForStatus,
  statusMessage,
} from '../../cluster/http/api-error.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError, UserError } from '../../lib/base/errors.js';
import { commandLine, oneLine } from '../../lib/base/text.js';
import { objectOf, parseJson, textOf } from '../../lib/json/json.js';
import { clusterTlsHints } from './command-requests.js';
import { type ExporterAddress, type ExporterFiles, forwardCommands, type ServiceAddress } from './exporter-address.js';

const headersTimeoutMs = 10_000;

/** The caller disposes of it. Throws UserError for a file that cannot be used, RequestError without a cluster. */
export async function exporterClient(options: {
  readonly exporter: ExporterAddress;
  /** What its listener requires, of one with a URL. */
  readonly files: ExporterFiles;
  /** Of the cluster, for an exporter behind its API server. */
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly version: string;
}): Promise<ApiClient> {
  const { exporter, files, credentials, clock, version } = options;
  if ('url' in exporter) {
    return new ApiClient({
      credentials: await fileCredentials(exporter.url, files),
      clock,
      version,
      headersTimeoutMs,
      tlsHints: {
        authority: 'set --exporter-ca-file to the CA that signed the certificate',
        serverName: 'set --exporter to a name that the certificate carries',
      },
      errorFromResponse: (response) =>
        exporterError(response, 'set --exporter-token-file or --exporter-basic-auth-file to right credentials'),
    });
  }
  if (credentials === undefined) throw new RequestError('connection', 'no kubeconfig was found');
  const errorFromResponse = (response: ErrorResponse): RequestError => proxiedError(response, exporter, clock);
  return new ApiClient({ credentials, clock, version, headersTimeoutMs, tlsHints: clusterTlsHints, errorFromResponse });
}

async function fileCredentials(server: URL, { tokenFile, basicAuthFile, caFile }: ExporterFiles): Promise<Credentials> {
  const [token, userInfo, ca] = await Promise.all([
    tokenFile === undefined ? undefined : readCredentialFile(tokenFile, '--exporter-token-file'),
    basicAuthFile === undefined ? undefined : readUserInfo(basicAuthFile),
    caFile === undefined ? undefined : readCertificate(caFile, '--exporter-ca-file'),
  ]);
  return staticCredentials({ server, token, userInfo, ca });
}

async function readUserInfo(path: string): Promise<string> {
  const text = await readCredentialFile(path, '--exporter-basic-auth-file');
  if (/^[^:\r\n]+:[^\r\n]+$/.test(text)) return text;
  throw new UserError(`--exporter-basic-auth-file ${path}: allowed: one line, USER:PASSWORD`);
}

/** The exporter names the rule that a user lacks; `hint` says what to do where it requires credentials. */
function exporterError({ what, status, text }: ErrorResponse, hint: string): RequestError {
  const quote = oneLine(text);
  const message = `${statusMessage({ what, status }, 'the exporter', quote)}${status === 401 ? `; ${hint}` : ''}`;
  return new RequestError(reasonForStatus(status), message, { status, cause: new Error(quote) });
}

/** The error for a response through the API server's proxy: of the API server, or of the exporter behind it. */
function proxiedError(response: ErrorResponse, exporter: ServiceAddress, clock: Clock): RequestError {
  if (!isOfExporter(response)) return readerError(response, exporter) ?? apiErrorFromResponse(response, clock);
  const [forward, flag] = forwardCommands(exporter);
  const typed = `${forward}, then ${flag} with --exporter-token-file or --exporter-basic-auth-file`;
  return exporterError(response, `it requires credentials, and the API server's proxy passes none on; type ${typed}`);
}

/** Refusals by the API server are objects of kind Status, unless it cannot reach the exporter; HTML is of a proxy in front of it. */
function isOfExporter({ headers, text }: ErrorResponse): boolean {
  if (/^error trying to reach service/i.test(text)) return false;
  const type = headers['content-type'] ?? '';
  return type.startsWith('text/plain') || (type.startsWith('application/json') && statusOf(text) === undefined);
}

function statusOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const body = objectOf(parseJson(text));
  return body['kind'] === 'Status' ? body : undefined;
}

const refusal =
  /User "(?<user>[^"]+)" cannot \S+ resource "(?:pods|services)(?:\/proxy)?" .*in the namespace "(?<namespace>[^"]+)"/;

/** Undefined where the shipped Role for readers would not help. */
function readerError({ what, status, text }: ErrorResponse, exporter: ServiceAddress): RequestError | undefined {
  if (status !== 403) return undefined;
  const found = textOf(statusOf(text)?.['message']) ?? '';
  const { user, namespace } = refusal.exec(oneLine(found, Infinity))?.groups ?? {};
  if (user === undefined || namespace !== exporter.namespace) return undefined;
  const message = `${statusMessage({ what, status }, 'the API server', oneLine(found, 500))}; bind the Role of readers: ${bindCommand(user, exporter)}`;
  return new RequestError('forbidden', message, { status });
}

/** Chart and manifests name the Role after the Service. */
function bindCommand(user: string, { namespace, service }: ServiceAddress): string {
  const role = `${service}-reader`;
  const [, , account, ...names] = user.split(':');
  const isAccount = user.startsWith('system:serviceaccount:') && account !== undefined;
  const subject = isAccount ? `--serviceaccount=${[account, ...names].join(':')}` : `--user=${user}`;
  const binding = `${role}-${user.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  return commandLine(['kubectl', 'create', 'rolebinding', binding, '-n', namespace, `--role=${role}`, subject]);
}
