import { escapeInvisible } from '../../base/invisible.js';

/** JSON of plain data, fields without a value left out, that is safe on a terminal too. */
export function jsonText(value: unknown, layout: 'indented' | 'line'): string {
  const text = JSON.stringify(value, undefined, layout === 'indented' ? 2 : undefined);
  return `${text.split('\n').map(escapeInvisible).join('\n')}\n`;
}
