/**
 * The two text formats of an exposition. They differ in the header lines, the `le` labels of histograms and the end
 * marker only; all other samples are the same bytes.
 *
 * https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md
 * https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */

export type ExpositionFormat = 'text' | 'openmetrics';

export type FamilyType = 'gauge' | 'counter' | 'histogram' | 'unknown';

export interface FamilyHeader {
  /** As in the text format: a counter's ends in `_total`. */
  readonly name: string;
  readonly type: FamilyType;
  readonly help: string;
}

/**
 * Labels that scrape configurations add to targets. A series without one of them carries it with an empty value: with
 * `honor_labels`, Prometheus otherwise adds the target's label, and the series would name the container of the exporter.
 * https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config
 */
const targetLabels: ReadonlySet<string> = new Set(['namespace', 'pod', 'container', 'node']);

/**
 * `{a="1",b="2"}`; labels with an empty value are omitted, except those of {@link targetLabels}. '' without any label.
 */
export function labelText(names: readonly string[], values: readonly string[]): string {
  let text = '';
  for (const [index, name] of names.entries()) {
    text += labelPart(name, values[index] ?? '');
  }
  return text === '' ? '' : `{${text.slice(1)}}`;
}

/** The part of a label in {@link labelText} after another one. */
export function labelPart(name: string, value: string): string {
  return value === '' && !targetLabels.has(name) ? '' : `,${name}="${escapeLabelValue(value)}"`;
}

/** One line. `labels`: from {@link labelText}. */
export function sampleLine(name: string, labels: string, value: number): string {
  return `${name}${labels} ${formatValue(value)}\n`;
}

/** The lines before a family's samples. */
export function headerText(family: FamilyHeader, format: ExpositionFormat): string {
  return format === 'text' ? plainHeader(family) : openMetricsHeader(family);
}

/** What follows the last family. */
export function endText(format: ExpositionFormat): string {
  return format === 'text' ? '' : '# EOF\n';
}

/** A histogram's upper bound: OpenMetrics wants a fraction (`1.0`), the text format has none by custom (`1`). */
export function formatBound(bound: number, format: ExpositionFormat): string {
  return format === 'openmetrics' && Number.isInteger(bound) ? bound.toFixed(1) : formatValue(bound);
}

function plainHeader({ name, type, help }: FamilyHeader): string {
  const typeName = type === 'unknown' ? 'untyped' : type;
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${typeName}\n`;
}

function openMetricsHeader({ name, type, help }: FamilyHeader): string {
  const isNamedCounter = name.endsWith('_total');
  const familyName = type === 'counter' && isNamedCounter ? name.slice(0, -'_total'.length) : name;
  const typeName = type === 'counter' && !isNamedCounter ? 'unknown' : type;
  const unit = /_(bytes|seconds)$/.exec(familyName)?.[1];
  const unitLine = unit === undefined ? '' : `# UNIT ${familyName} ${unit}\n`;
  return `# HELP ${familyName} ${escapeHelp(help).replaceAll('"', String.raw`\"`)}\n# TYPE ${familyName} ${typeName}\n${unitLine}`;
}

function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

const labelEscapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  '"': String.raw`\"`,
  '\n': String.raw`\n`,
};

/** Between the quotes of a label. */
export function escapeLabelValue(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll(/[\\"\n]/g, (character) => labelEscapes[character] ?? '') : value;
}

function escapeHelp(help: string): string {
  return help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}
