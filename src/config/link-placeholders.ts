/** What a link may have in its URL for what a page shows: `{pod}`. */
export const linkPlaceholders = ['cluster', 'namespace', 'pod', 'node', 'workload'] as const;
export type LinkPlaceholder = (typeof linkPlaceholders)[number];

/** Braces around anything but a word are part of the URL. */
export const placeholderForm = /\{(\w+)\}/g;

/** Returns the words in braces, known or not. */
export function placeholdersIn(url: string): readonly string[] {
  return Array.from(url.matchAll(placeholderForm), ([, name = '']) => name);
}
