import {
  apiErrorFromResponse,
  type ErrorResponse,
  reasonForStatus,
  statusMessage,
} from '../../cluster/http/api-error.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { commandLine, oneLine } from '../../lib/base/text.js';
import { objectOf, parseJson, textOf } from '../../lib/json/json.js';
import { forwardCommands, type ServiceAddress } from './exporter-address.js';

/** The error for a response through the API server's proxy: of the API server, or of the exporter behind it. */
export function proxiedError(response: ErrorResponse, exporter: ServiceAddress, clock: Clock): RequestError {
  const { what, status, text } = response;
  if (!isOfExporter(response)) return readerError(response, exporter) ?? apiErrorFromResponse(response, clock);
  if (status !== 401) {
    const quote = oneLine(text);
    const message = statusMessage({ what, status }, 'the exporter', quote);
    return new RequestError(reasonForStatus(status), message, { status, cause: new Error(quote) });
  }
  const [forward, flag] = forwardCommands(exporter);
  const hint = `${forward}, then ${flag} with --exporter-token-file or --exporter-basic-auth-file`;
  const message = `${statusMessage({ what, status }, 'the exporter', '')}: it requires credentials, and the API server's proxy passes none on; type ${hint}`;
  return new RequestError('unauthorized', message, { status });
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
