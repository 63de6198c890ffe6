import { stringify } from 'yaml';

import { escapeInvisible } from '../../base/text.js';
import { toJson } from '../../json/json.js';

/** Plain data as JSON or YAML, fields without a value left out, that is safe on a terminal too. */
export function dataText(value: unknown, form: 'json' | 'line' | 'yaml'): string {
  const text = form === 'yaml' ? yamlText(value) : toJson(value, form === 'json' ? 2 : undefined);
  return `${text.trimEnd().split('\n').map(escapeInvisible).join('\n')}\n`;
}

/** Escapes mean themselves in double quotes only: all strings have those when one of them needs it. */
function yamlText(value: unknown): string {
  const plain: unknown = JSON.parse(toJson(value)); // without the fields that have no value
  const text = stringify(plain, { lineWidth: 0 });
  const isSafe = text.split('\n').every((line) => line === escapeInvisible(line));
  return isSafe ? text : stringify(plain, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE' });
}
