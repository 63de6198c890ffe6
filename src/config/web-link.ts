import * as z from 'zod/mini';

import { didYouMean } from '../lib/base/suggestion.js';
import { linkPlaceholders, placeholdersIn } from './link-placeholders.js';
import { refuse } from './setting.js';

export interface WebLink {
  readonly name: string;
  /** `http:` or `https:`. */
  readonly url: string;
}

/** `Name=https://host/path`. Undefined when `text` is something else, or its URL holds a user or a password. */
function parseWebLink(text: string): WebLink | undefined {
  const [, name = '', url = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name.trim() !== name || !URL.canParse(url)) return undefined;
  const { protocol, username, password } = new URL(url);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && username === '' && password === '' ? { name, url } : undefined;
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
  encode: ({ name, url }) => `${name}=${url}`,
});
