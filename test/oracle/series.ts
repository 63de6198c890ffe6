import type { ParsedFamily } from '../support/exposition-parser.js';

export type Labels = Readonly<Record<string, string>>;

/** Values by family and labels; a label without a value is no label. */
export type SeriesTable = ReadonlyMap<string, number>;

/** The names are without the common prefix. */
export function seriesKey(name: string, labels: Labels): string {
  const known = Object.entries(labels).filter(([, value]) => value !== '');
  const sorted = known
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${sorted.join(',')}}`;
}

/** What is predicted: nothing of what is unknown, and nothing twice. */
export class Prediction {
  readonly series = new Map<string, number>();

  add(name: string, labels: Labels, value: bigint | number | undefined): void {
    if (value === undefined) return;
    const key = seriesKey(name, labels);
    if (this.series.has(key)) throw new Error(`predicted twice: ${key}`);
    this.series.set(key, Number(value));
  }
}

export function tableOf(families: readonly ParsedFamily[]): SeriesTable {
  return new Map(
    families.flatMap(({ samples }) =>
      samples.map(({ name, labels, value }) => [seriesKey(name.replace(/^ephemeral_storage_/, ''), labels), value]),
    ),
  );
}

/** One line for each series that is in one table alone or has another value there; empty when they agree. */
export function differences(predicted: SeriesTable, served: SeriesTable): readonly string[] {
  const keys = [...new Set([...predicted.keys(), ...served.keys()])].sort();
  return keys
    .filter((key) => !Object.is(predicted.get(key), served.get(key)))
    .map((key) => `${key}: predicted ${predicted.get(key) ?? 'none'}, served ${served.get(key) ?? 'none'}`);
}

/** The names of the families that have a series. */
export function familiesOf(table: SeriesTable): readonly string[] {
  return [...new Set([...table.keys()].map((key) => key.slice(0, key.indexOf('{'))))].sort();
}
