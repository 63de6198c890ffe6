import type { ApiTransport } from '../../cluster/http/api-client.js';
import { readAtMost } from '../../cluster/http/response-body.js';
import { apiPrefix, isObjectKind, objectRoutes } from '../../config/served-paths.js';
import { startDeadline } from '../../lib/base/abortable.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError } from '../../lib/base/errors.js';
import { fromJson, objectOf } from '../../lib/json/json.js';
import type { Coverage } from '../../people/query/coverage.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { ViewKind } from '../../people/status/views.js';
import { mergedReader } from './merged-views.js';
import { type AskedShard, chosenShards, failingReader } from './shards.js';
import { type AnswerFacts, type ReadViews, type ViewAddress, type ViewReader, viewReader } from './view-source.js';

/** A thousand items with all that is known of them. */
const maxBodyBytes = 64 * 2 ** 20;

const timeoutMs = 30_000;

/** How an exporter is read. */
export interface ExporterConnection {
  readonly api: ApiTransport;
  /** What stands before the paths of the API: that of a proxy, or ''. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** Reads the views of an exporter. All answers of a second are of one moment there. */
export function exporterReader(connection: ExporterConnection, signal: AbortSignal): ViewReader {
  return viewReader((address) => readView(connection, address, signal));
}

async function readView(
  { api, prefix, clock }: ExporterConnection,
  address: ViewAddress,
  signal: AbortSignal,
): Promise<AnswerFacts & { readonly data: unknown }> {
  const path = `${prefix}${apiPath(address)}`;
  const what = `GET ${path}`;
  const late = (): RequestError =>
    new RequestError('timeout', `${what}: no complete response within ${timeoutMs / 1000} s`);
  using deadline = startDeadline({ clock, durationMs: timeoutMs, error: late, parent: signal });
  try {
    const body = await api.open({ path, query: address.parameters, acceptsGzip: true }, deadline.signal);
    const { bytes, isComplete } = await readAtMost(body, maxBodyBytes);
    if (!isComplete) throw new RequestError('too_large', `${what}: more than ${maxBodyBytes} bytes`);
    const { generatedAtMs, coverage, ...data } = decode(bytes, { kind: address.kind, what });
    return { data, coverage, generatedAtMs, notes: coverage.notListed === undefined ? [] : [coverage.notListed] };
  } catch (error) {
    throw error instanceof RequestError ? (notFound(error, address) ?? error) : error;
  }
}

function apiPath({ kind, path }: ViewAddress): string {
  const [list] = isObjectKind(kind) ? objectRoutes[kind] : [kind];
  return `${apiPrefix}/${[list, ...path.map(encodeURIComponent)].join('/')}`;
}

/** Undefined for another failure: an old exporter may not have the list. `cause`: what the exporter itself wrote. */
function notFound({ status, cause }: RequestError, { kind, parameters }: ViewAddress): NotFoundError | undefined {
  const isOfName = isObjectKind(kind) || ['name', 'node', 'workload'].some((name) => parameters[name] !== undefined);
  return status === 404 && isOfName && cause instanceof Error ? NotFoundError.of(cause.message, cause) : undefined;
}

export const versionHint = 'use the same version of this program and of the exporter, or --from kubelets';

/** Throws RequestError `decode` for what is no view of the API: it may be of another program, or of a version far away. */
function decode(
  bytes: Buffer,
  { kind, what }: { readonly kind: ViewKind; readonly what: string },
): { readonly generatedAtMs: number; readonly coverage: Coverage } {
  const value = fromJson(bytes.toString());
  if (value === undefined) throw new RequestError('decode', `${what}: not JSON`);
  const answer = objectOf(value);
  const coverage = objectOf(answer['coverage']);
  const hasCoverage = Array.isArray(coverage['absences']);
  const counts = [answer['generatedAtMs'], coverage['freshNodeCount'], coverage['staleNodeCount']];
  const [part, ...names] = namesIn[kind] ?? ['items'];
  const isOfThem = (row: unknown): boolean => names.every((name) => typeof objectOf(row)[name] === 'string');
  const hasRows = isObjectKind(kind) || (Array.isArray(answer['items']) && typeof answer['totalCount'] === 'number');
  const hasOutline = hasCoverage && hasRows && counts.every((count) => typeof count === 'number');
  if (!hasOutline || ![answer[part]].flat().every(isOfThem) || !areMeasuresNumbers(answer)) {
    throw new RequestError('decode', `${what}: not as this version expects; ${versionHint}`);
  }
  return answer as object as ReturnType<typeof decode>;
}

/** Where an answer has what it is about, and the names of that. */
const namesIn: Partial<Record<ViewKind, readonly [part: string, ...names: string[]]>> = {
  nodes: ['items', 'node'],
  pods: ['items', 'namespace', 'pod'],
  containers: ['items', 'namespace', 'pod', 'container'],
  volumes: ['items', 'namespace', 'pod', 'volume'],
  workloads: ['items', 'workloadNamespace', 'workloadType', 'workload'],
  namespaces: ['items', 'namespace'],
  evictions: ['items', 'namespace', 'pod', 'uid'],
  node: ['node', 'node'],
  pod: ['pods', 'namespace', 'pod'],
  workload: ['workload', 'workloadNamespace', 'workloadType', 'workload'],
  namespace: ['namespace', 'namespace'],
};

/** Returns whether all that has a unit in its name is a number. Labels have the names that users give them. */
function areMeasuresNumbers(value: unknown, name = ''): boolean {
  if (/(?:Bytes|Count|Ms)$/.test(name)) return typeof value === 'number';
  if (typeof value !== 'object' || value === null || name === 'labels') return true;
  return Object.entries(value).every(([key, part]) => areMeasuresNumbers(part, key));
}

/**
 * Reads an exporter, or several of a part of the nodes each as one, when their kubelets have responded. One that fails when a reading
 * begins is not waited for again in it. `name`: of its pod.
 */
export function answeredViews(
  exporters: readonly { readonly name: string; readonly connection: ExporterConnection }[],
): ReadViews {
  return async (signal) => {
    const asked = await Promise.all(
      exporters.map(async ({ name, connection }): Promise<AskedShard> => {
        const failed = (error: unknown) => ({ reader: failingReader(error), coverage: undefined });
        return { name, ...(await answered(connection, signal).catch(failed)) };
      }),
    );
    const whole = asked.length === 1 ? asked.find(({ coverage }) => coverage?.totalShards === undefined) : undefined;
    return whole?.reader ?? mergedReader(chosenShards(asked));
  };
}

async function answered(connection: ExporterConnection, signal: AbortSignal) {
  const reader = exporterReader(connection, signal);
  return { reader, coverage: await untilAnswered(reader, connection.clock, signal) };
}

/** Before an exporter is asked again, which repeats an answer that lacks kubelets for the first of these times. */
const pausesMs = [250, 500, 1_000, 1_000];

/** A kubelet that hangs for the first time is not waited for any longer. */
const patienceMs = 1_000;

/**
 * An exporter that nobody has read for a while asks its kubelets again, and waits for half a second. Resolves when they have responded,
 * or when no more of them do, with
 * what answers are made of then.
 */
export async function untilAnswered(reader: ViewReader, clock: Clock, signal: AbortSignal): Promise<Coverage> {
  let [fewest, progressedAtMs] = [Infinity, -Infinity];
  let { coverage } = await reader.list('nodes', {}, 1);
  for (const pauseMs of pausesMs) {
    const count = coverage.absences.reduce((sum, of) => sum + (of.isAwaited ? of.nodeCount : 0), 0);
    if (count === 0) break;
    const nowMs = clock.monotonicMs();
    if (count < fewest) [fewest, progressedAtMs] = [count, nowMs];
    else if (nowMs - progressedAtMs >= patienceMs) break;
    await clock.sleep(pauseMs, signal);
    ({ coverage } = await reader.list('nodes', {}, 1));
  }
  return coverage;
}
