import { amountText, type BlockOf, type GridTile } from './document.js';
import { displayWidth, pad, shorten, terminalText, wrapped } from './terminal-text.js';

/** As many names are still read. */
const namedCount = 60;
const gap = '  ';

/** A letter for each, or a dot, with its name where they are few; below them what the letters mean. */
export function gridLines({ legend, groups }: BlockOf<'grid'>, width: number): readonly string[] {
  const isNamed = groups.reduce((sum, { tiles }) => sum + tiles.length, 0) <= namedCount;
  const meanings = legend.map(({ letter, text }) => `${letter === '' ? '.' : letter} ${text}`);
  return [
    ...groups.flatMap(({ title, tiles }) => [
      ...wrapped(title === undefined ? [] : [`${title}:`], width),
      ...(isNamed ? namedLines(tiles, width) : letterLines(tiles, width)),
    ]),
    ...wrapped([meanings.join(', ')], width),
  ];
}

function letterOf({ letter }: GridTile): string {
  return letter === '' ? '.' : letter;
}

function namedLines(tiles: readonly GridTile[], width: number): readonly string[] {
  const cells = tiles.map((tile) => {
    const percent = tile.full.amount === undefined ? '' : ` ${amountText(tile.full)}`;
    return shorten(`${letterOf(tile)} ${terminalText(tile.name)}${percent}`, width);
  });
  const cellWidth = Math.max(0, ...cells.map(displayWidth));
  const count = Math.max(1, Math.floor((Math.min(width, 200) + gap.length) / (cellWidth + gap.length)));
  return linesOf(cells, count, (line) =>
    line
      .map((cell) => pad(cell, cellWidth, 'left'))
      .join(gap)
      .trimEnd(),
  );
}

function letterLines(tiles: readonly GridTile[], width: number): readonly string[] {
  return linesOf(tiles.map(letterOf), Math.min(width, 80), (line) => line.join(''));
}

function linesOf<T>(items: readonly T[], count: number, write: (line: readonly T[]) => string): readonly string[] {
  const lineCount = Math.ceil(items.length / count);
  return Array.from({ length: lineCount }, (_, line) => write(items.slice(line * count, (line + 1) * count)));
}
