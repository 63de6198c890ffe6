import { UserError } from '../../lib/base/errors.js';
import { didYouMean } from '../../lib/base/suggestion.js';
import { formatCount, truncate } from '../../lib/base/text.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { maxLimit } from '../../people/query/list-query.js';
import { shardsText } from './shards.js';
import type { AnswerFacts } from './view-source.js';

/** No object has a longer one, also with its namespace. */
const maxNameLength = 320;

/** The name as an error quotes it. */
function quotedName(name: string): string {
  return truncate(terminalText(name), maxNameLength);
}

/** `names` are those that there are; what was not searched is said too. `namespace`: which the name may begin with. */
export function notFound(
  kind: string,
  name: string,
  names: readonly string[],
  {
    namespace,
    facts: { notes, shards },
  }: {
    readonly namespace?: string | undefined;
    /** Of the answer that lacks the name. */
    readonly facts: Pick<AnswerFacts, 'notes' | 'shards'>;
  },
): UserError {
  const place =
    namespace === undefined || name.startsWith(`${namespace}/`) ? '' : ` in namespace ${terminalText(namespace)}`;
  const part = shards === undefined ? '' : ` ${shardsText(shards)}`;
  const start = `no ${kind} "${quotedName(name)}"${place}${part}${didYouMean(name, names)}`;
  return new UserError([start, ...(shards === undefined ? [] : notes.map(terminalText))].join('\n'));
}

/** Of a name that is part of more names than an answer has: what there is of it is not known. `choice`: what names fewer. */
export function tooManyAlike(kinds: string, name: string, choice: string): UserError {
  const count = `more than ${formatCount(maxLimit)} ${kinds}`;
  return new UserError(`${count} have names that begin with "${quotedName(name)}": ${choice}`);
}
