import type { Config } from '../../config/schema.js';
import type { Lane } from '../../lib/base/lane.js';
import type { Document } from '../../people/pens/document.js';
import type { ClusterReading } from '../../people/query/cluster-reading.js';
import { type Coverage, coverageOf } from '../../people/query/coverage.js';
import type { ListPage } from '../../people/query/list-page.js';
import { type ListKind, maxLimit } from '../../people/query/list-query.js';
import { viewOf, type ViewRequest, type Views } from '../../people/status/views.js';

/** What an answer of the exporter's API is made of, and what it lacks. */
export interface AnswerFacts {
  readonly coverage: Coverage;
  /** Wall time in milliseconds. */
  readonly generatedAtMs: number;
  /** What was not read, and why. */
  readonly notes: readonly string[];
  /** Of an exporter whose shards did not all answer, or do not fit one another. */
  readonly shards?: AnsweredShards | undefined;
}

/** What the others measure is unknown. */
export interface AnsweredShards {
  readonly answeredCount: number;
  readonly totalCount: number;
}

/** The lists, and the objects, that commands show. */
export type CommandList = Exclude<ListKind, 'problems'>;
export type CommandObject = 'node' | 'pod' | 'workload' | 'namespace';

export type ItemOf<Kind extends CommandList> = Views[Kind] extends ListPage<infer Item> ? Item : never;

export type ListAnswer<Item> = AnswerFacts & ListPage<Item>;

export interface ObjectAnswer<Kind extends CommandObject> extends AnswerFacts {
  readonly data: Views[Kind];
}

/** As in the addresses of the API; those without a value are left out. */
export type ViewParameters = Readonly<Record<string, string | undefined>>;

/** Views of one moment. All throw UserError for a parameter that is wrong, and RequestError. */
export interface ViewReader {
  /** Returns the first `count` items; without it, as many as an answer has, see {@link maxLimit}. */
  list<Kind extends CommandList>(
    kind: Kind,
    parameters: ViewParameters,
    count?: number,
  ): Promise<ListAnswer<ItemOf<Kind>>>;
  /** `path`: its names, as in its address. Throws NotFoundError. */
  object<Kind extends CommandObject>(
    kind: Kind,
    path: readonly string[],
    parameters: ViewParameters,
  ): Promise<ObjectAnswer<Kind>>;
}

/** A view of the API by its address. No parameter is without a value. */
export type ViewAddress = ViewRequest & { readonly parameters: Readonly<Record<string, string>> };

/** `read`: resolves with the data of a view of the API, of the kind that the address names. */
export function viewReader(
  read: (address: ViewAddress) => Promise<AnswerFacts & { readonly data: unknown }>,
): ViewReader {
  return {
    object: async <Kind extends CommandObject>(kind: Kind, path: readonly string[], parameters: ViewParameters) => {
      const { data, ...facts } = await read({ kind, path, parameters: given(parameters) });
      return { ...facts, data: data as Views[Kind] };
    },
    list: async <Kind extends CommandList>(kind: Kind, parameters: ViewParameters, count = maxLimit) => {
      const limit = String(Math.min(count, maxLimit));
      const { data, ...facts } = await read({ kind, path: [], parameters: { ...given(parameters), limit } });
      return { ...facts, ...(data as ListPage<ItemOf<Kind>>) };
    },
  };
}

function given(parameters: ViewParameters): ViewAddress['parameters'] {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value = '']) => (value === '' ? [] : [[name, value]])),
  );
}

/** Makes the views of a reading, as an exporter would that was started a moment ago. */
export function viewsOf(
  reading: ClusterReading,
  { config, lane }: { readonly config: Config; readonly lane: Lane },
): ViewReader {
  const status = { problems: [], clusterName: config.web.clusterName ?? '' };
  const facts = { coverage: coverageOf(reading), generatedAtMs: reading.readAtMs, notes: reading.notes };
  const settings = { attribution: config.attribution, definitions: config.workloads.selectors };
  return viewReader(async (request) => {
    const { data } = await viewOf(request, { status, reading, settings, lane });
    return { ...facts, data };
  });
}

/** Reads what there is at the moment: of an exporter, of the cluster itself, or of a recording of one. Throws RequestError. */
export type ReadViews = (signal: AbortSignal) => Promise<ViewReader>;

/** What was found, before it is said what it lacks. */
export interface FoundDocuments {
  readonly documents: readonly Document[];
  readonly data: unknown;
  readonly facts: AnswerFacts;
}
