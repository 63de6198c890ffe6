import type { Coverage } from '../../people/query/coverage.js';
import type { ListPage } from '../../people/query/list-page.js';
import type { ListKind } from '../../people/query/list-query.js';
import type { Views } from '../../people/status/views.js';

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
export type CommandObject = 'node' | 'pod' | 'workload';
export type CommandKind = CommandList | CommandObject;

export type ItemOf<Kind extends CommandList> = Views[Kind] extends ListPage<infer Item> ? Item : never;

export interface ListAnswer<Item> extends AnswerFacts {
  readonly items: readonly Item[];
  /** Items of the whole list. */
  readonly totalCount: number;
}

export interface ObjectAnswer<Kind extends CommandObject> extends AnswerFacts {
  readonly data: Views[Kind];
}

/** As in the addresses of the API; those without a value are left out. */
export type ViewParameters = Readonly<Record<string, string | undefined>>;

/** Views of one moment. All throw UserError for a parameter that is wrong, and RequestError. */
export interface ViewReader {
  /** Returns the first `count` items; Infinity for all. */
  list<Kind extends CommandList>(
    kind: Kind,
    parameters: ViewParameters,
    count: number,
  ): Promise<ListAnswer<ItemOf<Kind>>>;
  /** `path`: its names, as in its address. Throws NotFoundError. */
  object<Kind extends CommandObject>(
    kind: Kind,
    path: readonly string[],
    parameters: ViewParameters,
  ): Promise<ObjectAnswer<Kind>>;
}

/** What `top` and `explain` read: an exporter, the cluster itself, or a recording of one. */
export interface ViewSource {
  /** Throws RequestError, or the signal's reason when it aborts. */
  read(signal: AbortSignal): Promise<ViewReader>;
}
