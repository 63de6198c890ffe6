/**
 * The two text formats of an exposition. They differ in the header lines, the `le` labels of histograms and the end
 * marker only; all other samples are the same bytes.
 *
 * https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md
 * https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md
 */

export type ExpositionFormat = 'text' | 'openmetrics';

export type FamilyType = 'gauge' | 'counter' | 'histogram';

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

/**
 * Returns the label name for each label key: `label_` and the key with every character that a label name cannot have replaced
 * by `_`, as kube-state-metrics does. Of keys that become the same name the second gets `_2`, the third `_3`, in the
 * order of the keys, so that the names depend on the set of keys alone.
 */
export function infoLabelNames(keys: Iterable<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const key of [...new Set(keys)].sort()) {
    const plainName = `label_${key.replaceAll(/\W/g, '_')}`;
    let name = plainName;
    for (let number = 2; taken.has(name); number += 1) name = `${plainName}_${number}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

/** One line. `labels`: from {@link labelText}. */
export function sampleLine(name: string, labels: string, value: number): string {
  return `${name}${labels} ${formatValue(value)}\n`;
}

/** A value has at most 24 characters, a line one more. */
const maxValueBytes = 25;

/** Memory that a family of a node of the usual size needs. More is not kept. */
const maxKeptBytes = 256 * 1_024;

const newline = 0x0a;
const digitZero = 0x30;
const billion = 1_000_000_000;

/** The samples of one family, without its header lines, as UTF-8. Its memory is used again after `clear`. */
export class SampleLines {
  readonly #name: string;
  #bytes = Buffer.alloc(0);
  byteCount = 0;
  seriesCount = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** `labels`: from {@link labelText}. */
  add(labels: string, value: number): void {
    const head = `${this.#name}${labels} `;
    this.#reserve(3 * head.length + maxValueBytes);
    const end = writeValue(this.#bytes, this.byteCount + this.#bytes.write(head, this.byteCount), value);
    this.#bytes[end] = newline;
    this.byteCount = end + 1;
    this.seriesCount += 1;
  }

  /** Copies the bytes from `start` to `end`. */
  copyTo(to: Buffer, offset = 0, start = 0, end = this.byteCount): void {
    this.#bytes.copy(to, offset, start, end);
  }

  clear(): void {
    this.byteCount = 0;
    this.seriesCount = 0;
    if (this.#bytes.length > maxKeptBytes) this.#bytes = Buffer.alloc(0);
  }

  #reserve(byteCount: number): void {
    const needed = this.byteCount + byteCount;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.copyTo(larger);
    this.#bytes = larger;
  }
}

/** Returns where the text of the value ends. Most values are whole numbers, whose text needs no string. */
function writeValue(to: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) return at + to.write(formatValue(value), at);
  const low = value % billion;
  if (low === value) return writeDigits(to, at, low, digitCount(low));
  return writeDigits(to, writeValue(to, at, (value - low) / billion), low, 9);
}

/** `value`: below a billion. */
function writeDigits(to: Buffer, at: number, value: number, count: number): number {
  let left = value;
  for (let place = at + count - 1; place >= at; place -= 1) {
    const tens = Math.trunc(left / 10);
    to[place] = digitZero + left - 10 * tens;
    left = tens;
  }
  return at + count;
}

function digitCount(value: number): number {
  let count = 1;
  for (let power = 10; power <= value; power *= 10) count += 1;
  return count;
}

/** The lines before a family's samples. */
export function headerText({ name, type, help }: FamilyHeader, format: ExpositionFormat): string {
  const helpText = escapeHelp(help);
  if (format === 'text') return `# HELP ${name} ${helpText}\n# TYPE ${name} ${type}\n`;
  const familyName = type === 'counter' ? name.replace(/_total$/, '') : name;
  const unit = /_(bytes|seconds)$/.exec(familyName)?.[1];
  const unitLine = unit === undefined ? '' : `# UNIT ${familyName} ${unit}\n`;
  return `# HELP ${familyName} ${helpText.replaceAll('"', String.raw`\"`)}\n# TYPE ${familyName} ${type}\n${unitLine}`;
}

/** What follows the last family. */
export function endText(format: ExpositionFormat): string {
  return format === 'text' ? '' : '# EOF\n';
}

/** A histogram's upper bound: OpenMetrics wants a fraction (`1.0`), the text format has none by custom (`1`). */
export function formatBound(bound: number, format: ExpositionFormat): string {
  return format === 'openmetrics' && Number.isInteger(bound) ? bound.toFixed(1) : formatValue(bound);
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
