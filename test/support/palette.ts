import { style } from '../../src/people/status/page-files.js';

export type Palette = ReadonlyMap<string, string>;

/** The colours of the style sheet by role. */
export const lightPalette = coloursIn(blockAfter(style, ':root {'));
export const darkPalette = coloursIn(blockAfter(style.slice(style.indexOf('prefers-color-scheme: dark')), ':root {'));

export function colourOf(palette: Palette, role: string): string {
  const colour = palette.get(role);
  if (colour === undefined) throw new Error(`the style sheet has no colour --${role}`);
  return colour;
}

function blockAfter(text: string, head: string): string {
  const start = text.indexOf(head);
  return text.slice(start, text.indexOf('}', start));
}

function coloursIn(block: string): Palette {
  return new Map(
    Array.from(block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g), ([, role = '', colour = '']) => [role, colour]),
  );
}
