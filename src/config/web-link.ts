import * as z from 'zod/mini';

import { refuse } from './setting.js';
import { didYouMean } from './suggestion.js';

export interface WebLink {
  readonly name: string;
  /** `http:` or `https:`. */
  readonly url: string;
}

/** What a link may have in its URL for what a page shows: `{pod}`. */
const linkPlaceholders = ['cluster', 'namespace', 'pod', 'node', 'workload'] as const;
export type LinkPlaceholder = (typeof linkPlaceholders)[number];

/** Braces around anything but a word are part of the URL. */
export const placeholderForm = /\{(\w+)\}/g;

/** Returns the words in braces, known or not. */
export function placeholdersIn(url: string): readonly string[] {
  return Array.from(url.matchAll(placeholderForm), ([, name = '']) => name);
}

/** `Name=https://host/path`. Undefined when `text` is something else, or its URL holds a user or a password. */
function parseWebLink(text: string): WebLink | undefined {
  const [, name = '', url = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name.trim() !== name || !URL.canParse(url)) return undefined;
  const { protocol, username, password } = new URL(url);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' ? { name, url } : undefined;
}

function formatWebLink({ name, url }: WebLink): string {
  return `${name}=${url}`;
}

/** Not a semicolon in a password: half of one would be quoted as a link of its own. */
export const betweenLinks = /;(?=\s*[^;=:@/]*=https?:\/\/)|;(?!(?:(?!;\s*[^;=:@/]*=https?:\/\/).)*@)/s;

/** A link to a page elsewhere. */
export const webLink = z.codec(z.string(), z.custom<WebLink>(), {
  decode: (raw, payload) => {
    const link = parseWebLink(raw);
    if (link === undefined) return refuse(payload);
    const names: readonly string[] = linkPlaceholders;
    const unknown = placeholdersIn(link.url).find((name) => !names.includes(name));
    return unknown === undefined ? link : refuse(payload, `{${unknown}} is unknown${didYouMean(unknown, names)}`);
  },
  encode: formatWebLink,
});
