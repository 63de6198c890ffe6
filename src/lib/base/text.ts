/** As people call it, who have it as a plugin of kubectl: in commands to copy. */
export const programName = 'kubectl ephemeral-storage';

/** At most `maxLength` characters; `…` marks the missing end. */
export function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

/** On one line and truncated, for messages that quote a text of unknown origin. */
export function oneLine(text: string, maxLength = 300): string {
  return truncate(text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), maxLength);
}

/** What follows the host, up to a path or the end, and is no port. */
const noPort = /(?<=:\/\/)(?!\[)[^/?#]*?:(?!\d*(?:[/?#]|$)).*$/s;

/**
 * Without what precedes an `@`: the user and the password of a URL, also of one that cannot be parsed. Without an `@`,
 * which may be cut off or escaped, not with what would be a password then.
 */
export function withoutUserInfo(text: string): string {
  if (!text.includes('@')) return text.replace(noPort, '…');
  return text.replace(/^(?<before>.*?:\/\/|[^=:@]*=)?.*@/s, '$<before>…@');
}

/** A number of things; '' for none. */
export function countedText(count: number, names: readonly [one: string, many: string]): string {
  return count <= 0 ? '' : numberText(count, names);
}

/** A number of things, of none too. */
export function numberText(count: number, [one, many]: readonly [one: string, many: string]): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Returns what stands below the things that are shown; '' when they are all. `what`: in the plural. */
export function moreText(shownCount: number, totalCount: number, what = ''): string {
  const count = totalCount - shownCount;
  if (count <= 0) return '';
  return `and ${formatCount(count)} more ${count === 1 ? what.replaceAll(/s\b/g, '') : what}`.trimEnd();
}

/** Returns the text as the beginning of a sentence. */
export function capitalised(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** `a, b, c and 4 more`. `count`: of all that there are, where `items` are the first of them. */
export function joinTruncated(items: readonly string[], maxCount: number, count = items.length): string {
  const shown = items.slice(0, maxCount);
  const moreCount = count - shown.length;
  return moreCount > 0 ? `${shown.join(', ')} and ${formatCount(moreCount)} more` : shown.join(', ');
}

/**
 * Control, format and separator characters, including line feeds, as `\uXXXX`: a terminal may interpret them, or hide
 * the characters beside them.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escapeCodeUnit(character.charCodeAt(index))).join(''),
  );
}

/** As {@link escapeInvisible}, but with its line feeds, which are the program's own: messages have one line for each fault. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeInvisible).join('\n');
}

function escapeCodeUnit(codeUnit: number): string {
  return `\\u${codeUnit.toString(16).padStart(4, '0')}`;
}

/** One word of a command line, whatever is in it: names may come from messages that anybody can write. */
export function shellWord(text: string): string {
  return /^[\w./:@=,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** A command line to copy. */
export function commandLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** Larger amounts are kept as this one. */
export const largestKept = 2 ** 53;

/** Made once: `toLocaleString` takes ten times as long. */
const counts = new Intl.NumberFormat('en-US');

/** With separators between thousands; `-` for an unknown value. */
export function formatCount(count: number | undefined): string {
  if (count === undefined) return '-';
  return `${counts.format(count)}${count >= largestKept ? ' or more' : ''}`;
}
