import { renderTable } from '../../src/people/pens/table.js';
import { type FigureKey, figureKeys, type Figures, kindOf, type Unit } from './figures.js';
import type { ShapeName } from './shapes.js';

export interface ShapeResult {
  readonly shape: ShapeName;
  readonly figures: Figures;
}

interface Row {
  readonly what: string;
  readonly value: string;
  readonly target: string;
  readonly share: string;
  readonly verdict: string;
}

const width = 200;

/** One line for each figure of the shape: value, target, value ÷ target, and whether it is met. */
export function figureTable({ shape, figures }: ShapeResult): readonly string[] {
  const rows = figureKeys.flatMap((key) => {
    const value = figures[key];
    return value === undefined ? [] : [rowOf(key, value, shape)];
  });
  const { lines } = renderTable<Row>(
    [
      { header: shape, text: ({ what }) => what },
      { header: 'measured', text: ({ value }) => value, align: 'right' },
      { header: 'target', text: ({ target }) => target, align: 'right' },
      { header: '÷ target', text: ({ share }) => share, align: 'right' },
      { header: '', text: ({ verdict }) => verdict },
    ],
    rows,
    width,
  );
  return lines;
}

/** How each figure grows from shape to shape. */
export function growthTable(results: readonly ShapeResult[]): readonly string[] {
  const keys = figureKeys.filter((key) => results.filter(({ figures }) => figures[key] !== undefined).length > 1);
  const { lines } = renderTable<FigureKey>(
    [
      { header: 'growth', text: (key) => kindOf(key).what },
      ...results.map(({ shape, figures }, index) => ({
        header: shape,
        align: 'right' as const,
        text: (key: FigureKey) => growthText(key, figures, results[index - 1]?.figures),
      })),
    ],
    keys,
    width,
  );
  return lines;
}

function growthText(key: FigureKey, figures: Figures, before: Figures | undefined): string {
  const [value, former] = [figures[key], before?.[key]];
  if (value === undefined) return '';
  const text = figureText(value, kindOf(key).unit);
  return former === undefined || former === 0 ? text : `${text} ×${ratioText(value / former)}`;
}

function rowOf(key: FigureKey, value: number, shape: ShapeName): Row {
  const { what, unit, targets } = kindOf(key);
  const target = targets?.[shape];
  const row = { what, value: figureText(value, unit) };
  if (target === undefined) return { ...row, target: '', share: '', verdict: '' };
  return {
    ...row,
    target: figureText(target, unit),
    share: target === 0 ? '' : ratioText(value / target),
    verdict: value <= target ? 'met' : 'missed',
  };
}

function figureText(value: number, unit: Unit): string {
  switch (unit) {
    case 'count':
      return Number.isInteger(value) ? String(value) : value.toFixed(1);
    case 'bytes':
      return `${(value / 1e6).toFixed(1)} MB`;
    case 'ms':
      return value < 100 ? `${value.toFixed(2)} ms` : `${value.toFixed(0)} ms`;
    case 'percent':
      return `${value.toFixed(2)} %`;
    case 'ratio':
      return value > 0 && value < 0.05 ? `1/${(1 / value).toFixed(0)}` : ratioText(value);
  }
}

function ratioText(value: number): string {
  return value.toFixed(2);
}
