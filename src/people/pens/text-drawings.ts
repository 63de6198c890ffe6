import { amountText, areNamed, type BlockOf, type GridTile } from './document.js';
import { displayWidth, pad, shorten, terminalText, wrapped } from './terminal-text.js';

const gap = '  ';

/** A letter for each, or a dot, with its name where they are few; below them what the letters mean. */
export function gridLines(grid: BlockOf<'grid'>, width: number): readonly string[] {
  const { legend, groups } = grid;
  const lines = areNamed(grid) ? namedLines : letterLines;
  const meanings = legend.map((mark) => `${letterOf(mark)} ${mark.text}`);
  return [
    ...groups.flatMap(({ title, tiles }) => [
      ...wrapped(title === undefined ? [] : [`${title}:`], width),
      ...lines(tiles, width),
    ]),
    ...wrapped([meanings.join(', ')], width),
  ];
}

function letterOf({ letter }: Pick<GridTile, 'letter'>): string {
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

const maxBarWidth = 60;
/** Of parts, by their order; what is free is empty. */
const fills = '#=+:*%~-';

/** A line of characters, then what they are. A mark stands where its amount is. */
export function barLines({ unit, whole, parts, marks }: BlockOf<'bar'>, width: number): readonly string[] {
  const length = Math.min(maxBarWidth, width - 2);
  const columnOf = (amount: number): number => Math.round((amount / whole) * length);
  const shown = parts.filter(({ amount }) => amount > 0);
  const fillOf = (colour: string, index: number): string =>
    colour === 'free' ? ' ' : (fills[index % fills.length] ?? '');
  let end = 0;
  const drawn = shown.map(({ amount, colour }, index) => {
    const from = columnOf(end);
    end += amount;
    return fillOf(colour, index).repeat(Math.max(0, Math.min(length, columnOf(end)) - from));
  });
  const bar = Array.from(drawn.join('').padEnd(length));
  for (const { at } of marks) bar[Math.min(length - 1, columnOf(at))] = '|';
  const names = shown.map(({ name, amount, colour }, index) => {
    const fill = fillOf(colour, index).trim();
    return `${fill === '' ? '' : `${fill} `}${name} ${amountText({ amount, unit })}`;
  });
  const notes = marks.map(({ name }) => `| ${name}`);
  return [`[${bar.join('')}]`, ...wrapped([[...names, ...notes].join(', ')], width)];
}
