import { byNames, naturalNames } from '../../lib/base/ranking.js';
import type { ListPage } from '../../people/query/list-page.js';
import type { CommandList } from './view-source.js';

/** What items of lists that have ranks are called, as far as they have it. */
interface ItemNames {
  readonly namespace?: string;
  readonly pod?: string;
  readonly container?: string;
  readonly volume?: string;
  readonly node?: string | undefined;
}

/** Returns the items of several lists in the order that each of them is in. */
export function mergedByRank<T>(
  lists: readonly Pick<ListPage<T>, 'items' | 'ranks'>[],
  kind: CommandList,
  order: string,
): readonly T[] {
  const all = lists.flatMap(({ items, ranks }) => items.map((item, index) => ({ item, ranks: ranks?.[index] ?? [] })));
  const byName = byNames<{ readonly item: T }>(({ item }) =>
    namesOf(item as ItemNames, kind === 'nodes' || order === 'node'),
  );
  return all.toSorted((a, b) => compareRanks(a.ranks, b.ranks) || byName(a, b)).map(({ item }) => item);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((rank, at) => rank !== b[at]);
  return index < 0 ? 0 : (b[index] ?? 0) - (a[index] ?? 0);
}

function namesOf(
  { namespace = '', pod = '', container, volume = '', node = '' }: ItemNames,
  isByNode: boolean,
): readonly string[] {
  const names = [namespace, pod, container ?? volume];
  return isByNode ? [...naturalNames(node), ...names] : [...names, node];
}
