import { RequestError } from '../../lib/base/errors.js';
import type { JsonObject } from '../../lib/json/json.js';
import type { ListPage } from '../../people/query/list-page.js';
import { maxLimit, maxOffset } from '../../people/query/list-query.js';
import type { Views } from '../../people/status/views.js';
import type {
  AnswerFacts,
  CommandKind,
  CommandList,
  CommandObject,
  ItemOf,
  ListAnswer,
  ViewParameters,
  ViewReader,
} from './view-source.js';

/** A view of the API by its address. */
export interface ViewAddress {
  readonly kind: CommandKind;
  readonly path: readonly string[];
  /** None without a value. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Resolves with the data of a view of the API, of the kind that the address names. */
export type ReadView = (address: ViewAddress) => Promise<AnswerFacts & { readonly data: unknown }>;

/** Reads lists in the parts in which the API returns them. `begin`: returns what reads an object, or all parts of a list. */
export function pagedReader(begin: () => ReadView): ViewReader {
  return {
    object: async <Kind extends CommandObject>(kind: Kind, path: readonly string[], parameters: ViewParameters) => {
      const { data, ...facts } = await begin()({ kind, path, parameters: given(parameters) });
      return { ...facts, data: data as Views[Kind] };
    },
    list: async <Kind extends CommandList>(
      kind: Kind,
      parameters: ViewParameters,
      count: number,
    ): Promise<ListAnswer<ItemOf<Kind>>> => {
      const read = begin();
      const items = new Map<string, ItemOf<Kind>>();
      const moments = new Set<number>();
      for (let offset = 0; ;) {
        const limit = Math.min(maxLimit, count - offset);
        const part = { offset: String(offset), limit: String(limit) };
        const { data, ...facts } = await read({ kind, path: [], parameters: { ...given(parameters), ...part } });
        const { items: found, totalCount } = data as ListPage<ItemOf<Kind>>;
        for (const item of found) items.set(keyOf(item as object), item);
        moments.add(facts.generatedAtMs);
        offset += found.length;
        if (offset >= Math.min(count, totalCount)) {
          const notes = moments.size > 1 ? [...facts.notes, partsNote] : facts.notes;
          return { ...facts, notes, items: [...items.values()], totalCount };
        }
        checkPart(kind, { foundCount: found.length, limit, offset, totalCount });
      }
    },
  };
}

const partsNote = 'The list was read in parts, one after the other: what changed its place meanwhile may be missing.';

const keyFields = 'uid node namespace pod container volume workloadNamespace workloadType workload'.split(' ');

/** What changes its place between two parts is in both. */
function keyOf(item: object): string {
  return JSON.stringify(keyFields.map((name) => (item as JsonObject)[name]));
}

/** Of a part that is not the last one. Throws RequestError: its list would never end. */
function checkPart(
  kind: CommandList,
  { foundCount, limit, offset, totalCount }: Readonly<Record<'foundCount' | 'limit' | 'offset' | 'totalCount', number>>,
): void {
  if (foundCount !== limit) {
    const part = `${foundCount} items in a part of ${limit}`;
    throw new RequestError('decode', `the exporter's list of ${kind} has ${part}, and ${totalCount} in all`);
  }
  if (offset > maxOffset) throw new RequestError('too_large', `more than ${maxOffset} ${kind}`);
}

function given(parameters: ViewParameters): Readonly<Record<string, string>> {
  const entries = Object.entries(parameters);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''));
}
