import type { Lane } from '../../lib/base/lane.js';
import { likeNames, meantText } from '../../lib/base/suggestion.js';
import type { Status } from '../query/status.js';

/** There is no object of this name. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  /** The message without the names that may be meant. */
  readonly what: string;
  readonly meant: readonly string[];

  constructor(
    what: string,
    { meant = [], ...options }: ErrorOptions & { readonly meant?: readonly string[] | undefined } = {},
  ) {
    super(`${what}${meantText(meant)}`, options);
    [this.what, this.meant] = [what, meant];
  }

  /** Reads the message of one. */
  static of(text: string, cause: unknown): NotFoundError {
    const [, what = text, meant] = /^(.*?)(?: \(did you mean (.*)\?\))?$/s.exec(text.trim()) ?? [];
    return new NotFoundError(what, { cause, meant: meant?.split(', ') });
  }
}

/** A cluster may have hundreds of thousands of pods, and names of 253 letters. */
const comparedCount = 500;
const maxNameLength = 600;

/** `names`: of all that there are. Those are compared that begin like the wanted one for longest: of its namespace first. */
export async function notFound(
  what: string,
  { wanted, names, lane }: { readonly wanted: string; readonly names: Iterable<string>; readonly lane: Lane },
): Promise<NotFoundError> {
  if (wanted.length > maxNameLength) return new NotFoundError(what);
  const found: Set<string>[] = [];
  await lane.each(names, (name) => {
    const alike = (found[commonLength(name, wanted)] ??= new Set());
    if (name !== wanted && alike.size < comparedCount) alike.add(name); // it may be there, and not be listed
  });
  const compared = found.reverse().flatMap((alike) => [...alike]);
  return new NotFoundError(what, { meant: likeNames(wanted, compared.slice(0, comparedCount)) });
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Nodes and pods have not been listed yet. */
export class NotListedError extends Error {
  override readonly name = 'NotListedError';
}

/** What is known of before the first lists. */
const keptKinds: ReadonlySet<string> = new Set(['problems', 'evictions', 'eviction']);

/** Throws NotListedError for a kind of view that there is not before the first lists. */
export function requireListed(kind: string, { notListed }: Pick<Status, 'notListed'>): void {
  if (notListed !== undefined && !keptKinds.has(kind)) throw new NotListedError(notListed);
}

/** Why there is no eviction: before the first lists, they may show it. */
export function noEviction(uid: string, { notListed }: Pick<Status, 'notListed'>): Error {
  if (notListed !== undefined) return new NotListedError(notListed);
  return new NotFoundError(`no eviction of a pod with the UID ${uid} is remembered`);
}
