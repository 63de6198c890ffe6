import type { ApiTransport } from '../../cluster/http/api-client.js';
import { readAtMost } from '../../cluster/http/response-body.js';
import { apiPrefix, objectRoutes } from '../../config/served-paths.js';
import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { parseJson } from '../../lib/json/json.js';
import type { Coverage } from '../../people/query/coverage.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { AnswerSchemas } from './answer-schemas.js';
import { pagedReader, type ReadView, type ViewAddress } from './paged-reader.js';
import type { CommandKind, CommandObject, ViewReader } from './view-source.js';

/** A thousand items with all that is known of them. */
const maxBodyBytes = 64 * 2 ** 20;

/** Of all parts of a list, or of an object: 150,000 pods take half of it. */
const maxBytes = 256 * 2 ** 20;
const timeoutMs = 30_000;

/** How an exporter is read. */
export interface ExporterConnection {
  readonly api: ApiTransport;
  /** What stands before the paths of the API: that of a proxy, or ''. */
  readonly prefix: string;
  readonly schemas: AnswerSchemas;
  readonly clock: Clock;
}

/** Reads the views of an exporter. All answers of a second are of one moment there. */
export function exporterReader(connection: ExporterConnection, signal: AbortSignal): ViewReader {
  return pagedReader(() => {
    const endMs = connection.clock.monotonicMs() + timeoutMs;
    const rest = { endMs, bytes: maxBytes };
    return (address) => readView(connection, address, { rest, signal });
  });
}

/** `rest`: what is left for the other parts of a list, in monotonic time and in bytes. */
async function readView(
  { api, prefix, schemas, clock }: ExporterConnection,
  address: ViewAddress,
  { rest, signal }: { readonly rest: { readonly endMs: number; bytes: number }; readonly signal: AbortSignal },
): ReturnType<ReadView> {
  const path = `${prefix}${apiPath(address)}`;
  const what = `GET ${path}`;
  const durationMs = rest.endMs - clock.monotonicMs();
  const late = (): RequestError =>
    new RequestError('timeout', `${what}: no complete response within ${timeoutMs / 1000} s`);
  if (durationMs <= 0) throw late();
  using deadline = startDeadline({ clock, durationMs, error: late, parent: signal });
  try {
    const body = await api.open({ path, query: address.parameters, acceptsGzip: true }, deadline.signal);
    const { bytes, isComplete } = await readAtMost(body, Math.min(maxBodyBytes, rest.bytes));
    if (!isComplete) {
      const limit = rest.bytes < maxBodyBytes ? `${maxBytes} bytes in all` : `${maxBodyBytes} bytes`;
      throw new RequestError('too_large', `${what}: more than ${limit}`);
    }
    rest.bytes -= bytes.length;
    const { generatedAtMs, coverage, ...data } = decode(bytes, schemas, { kind: address.kind, what });
    return { data, coverage, generatedAtMs, notes: coverage.notListed === undefined ? [] : [coverage.notListed] };
  } catch (error) {
    if (isMissingObject(error, address)) throw new NotFoundError(error.message, { cause: error });
    throw error;
  }
}

function apiPath({ kind, path }: ViewAddress): string {
  const [list] = isObject(kind) ? objectRoutes[kind] : [kind];
  return `${apiPrefix}/${[list, ...path.map(encodeURIComponent)].join('/')}`;
}

function isObject(kind: CommandKind): kind is CommandObject {
  return Object.hasOwn(objectRoutes, kind);
}

function isMissingObject(error: unknown, { kind }: ViewAddress): error is RequestError {
  return error instanceof RequestError && error.status === 404 && isObject(kind);
}

/** Throws RequestError `decode` for what is not the view of the API that this program knows. */
function decode(
  bytes: Buffer,
  schemas: AnswerSchemas,
  { kind, what }: { readonly kind: CommandKind; readonly what: string },
): { readonly generatedAtMs: number; readonly coverage: Coverage } {
  const text = bytes.toString();
  const answer = parseJson(text, () => new RequestError('decode', `${what}: not JSON`));
  const fault = schemas.faultOf(kind, answer);
  if (fault !== undefined) {
    const hint = 'use the same version of this program and of the exporter, or --from kubelets';
    throw new RequestError('decode', `${what}: not as this version expects: ${fault}; ${hint}`);
  }
  return (text.includes('"+Inf"') ? JSON.parse(text, withInfinity) : answer) as ReturnType<typeof decode>;
}

/** Returns the number that a text stands for, see `toJson`. */
function withInfinity(_key: string, value: unknown): unknown {
  return value === '+Inf' ? Infinity : value;
}
