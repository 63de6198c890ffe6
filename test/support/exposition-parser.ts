/**
 * A strict parser of expositions, based on the specifications only: every Prometheus accepts what it accepts. It is
 * stricter than the specifications: each family has a HELP and a TYPE line, there are no timestamps, exemplars,
 * comments or blank lines, and numbers are canonical.
 */

export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly unit: string | undefined;
  readonly samples: readonly ParsedSample[];
}

type Format = 'text' | 'openmetrics';

interface OpenFamily {
  readonly name: string;
  type: string | undefined;
  help: string | undefined;
  unit: string | undefined;
  readonly samples: ParsedSample[];
}

const typeNames: readonly string[] = ['gauge', 'counter', 'histogram'];
const endMark = '# EOF';
const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Throws an Error with the line of the first fault, also for bytes that are not UTF-8. */
export function parseExposition(body: string | Uint8Array, format: Format): readonly ParsedFamily[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return new ExpositionParser(format).parse(typeof body === 'string' ? body : decoder.decode(body));
}

class ExpositionParser {
  readonly #format: Format;
  readonly #families: ParsedFamily[] = [];
  readonly #closedNames = new Set<string>();
  readonly #series = new Set<string>();
  #current: OpenFamily | undefined;
  #lineNumber = 0;

  constructor(format: Format) {
    this.#format = format;
  }

  parse(text: string): readonly ParsedFamily[] {
    if (text === '' && this.#format === 'text') return []; // no family, no line
    if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
    const lines = text.slice(0, -1).split('\n');
    if (this.#format === 'openmetrics' && lines.pop() !== endMark) throw new Error(`the last line is not "${endMark}"`);
    for (const line of lines) {
      this.#lineNumber += 1;
      this.#line(line);
    }
    this.#close();
    return this.#families;
  }

  #line(line: string): void {
    if (line === '') return this.#fail('blank line');
    if (!line.startsWith('#')) {
      this.#sample(line);
      return;
    }
    const match = /^# (HELP|TYPE|UNIT) (\S+) (.*)$/s.exec(line);
    if (match === null) return this.#fail(`comment that is no HELP, TYPE or UNIT line: ${line}`);
    const [, kind = '', name = '', rest = ''] = match;
    const family = this.#open(name);
    if (family.samples.length > 0) this.#fail(`${kind} of ${name} after its samples`);
    if (kind === 'HELP') this.#help(family, rest);
    else if (kind === 'TYPE') this.#type(family, rest);
    else this.#unit(family, rest);
  }

  #open(name: string): OpenFamily {
    if (this.#current?.name === name) return this.#current;
    this.#close();
    if (!metricName.test(name)) this.#fail(`bad family name: ${name}`);
    if (this.#closedNames.has(name)) this.#fail(`family ${name} is not contiguous`);
    this.#current = { name, type: undefined, help: undefined, unit: undefined, samples: [] };
    return this.#current;
  }

  #help(family: OpenFamily, text: string): void {
    if (family.help !== undefined) this.#fail(`second HELP of ${family.name}`);
    if (this.#format === 'openmetrics' && /(?<!\\)(?:\\\\)*"/.test(text)) this.#fail('quote in HELP is not escaped');
    family.help = this.#unescape(text, this.#format === 'openmetrics' ? '\\n"' : '\\n');
  }

  #type(family: OpenFamily, text: string): void {
    if (family.type !== undefined) this.#fail(`second TYPE of ${family.name}`);
    if (!typeNames.includes(text)) this.#fail(`bad type: ${text}`);
    family.type = text;
  }

  #unit(family: OpenFamily, text: string): void {
    if (this.#format === 'text') this.#fail('UNIT is no line of the text format');
    if (family.unit !== undefined) this.#fail(`second UNIT of ${family.name}`);
    if (!family.name.endsWith(`_${text}`)) this.#fail(`the name ${family.name} does not end in its unit ${text}`);
    family.unit = text;
  }

  #sample(line: string): void {
    const family = this.#current;
    const name = /^[^{ ]*/.exec(line)?.[0] ?? '';
    if (family?.type === undefined || !this.#sampleNames(family.name, family.type).includes(name)) {
      return this.#fail(`sample ${name} does not belong to the family before it`);
    }
    const { labels, end } = this.#labels(line, name.length);
    const value = this.#value(line.slice(end));
    const known = Object.entries(labels).filter(([, labelValue]) => labelValue !== '');
    const key = JSON.stringify([name, known.sort(([a], [b]) => (a < b ? -1 : 1))]);
    if (this.#series.has(key)) this.#fail(`duplicate series ${key}`);
    this.#series.add(key);
    if (family.type !== 'gauge' && value < 0) this.#fail(`negative ${family.type}`);
    family.samples.push({ name, labels, value });
  }

  #sampleNames(family: string, type: string): readonly string[] {
    if (type === 'histogram') return [`${family}_bucket`, `${family}_sum`, `${family}_count`];
    return type === 'counter' && this.#format === 'openmetrics' ? [`${family}_total`] : [family];
  }

  #labels(line: string, start: number): { labels: Record<string, string>; end: number } {
    const labels: Record<string, string> = {};
    if (line[start] !== '{') return { labels, end: start };
    const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"([,}])/sy;
    label.lastIndex = start + 1;
    for (;;) {
      const match = label.exec(line);
      if (match === null) return this.#fail(`bad labels: ${line}`);
      const [, name = '', text = '', separator] = match;
      if (name in labels || name === '__name__') this.#fail(`label ${name} twice, or reserved`);
      labels[name] = this.#unescape(text, '\\n"');
      if (separator === '}') return { labels, end: label.lastIndex };
    }
  }

  #value(text: string): number {
    if (text === ' NaN') return Number.NaN;
    if (text === ' +Inf') return Number.POSITIVE_INFINITY;
    if (text === ' -Inf') return Number.NEGATIVE_INFINITY;
    if (!/^ -?\d+(?:\.\d+)?(?:e[+-]\d+)?$/.test(text)) this.#fail(`bad value:${text}`);
    return Number(text);
  }

  #unescape(text: string, allowed: string): string {
    return text.replaceAll(/\\(.?)/gs, (_whole, character: string) => {
      if (character === '' || !allowed.includes(character)) this.#fail(`bad escape: \\${character}`);
      return character === 'n' ? '\n' : character;
    });
  }

  #close(): void {
    const family = this.#current;
    if (family === undefined) return;
    const { name, type, help, unit, samples } = family;
    if (type === undefined || help === undefined) return this.#fail(`family ${name} lacks its HELP or TYPE line`);
    if (type === 'histogram') this.#checkHistogram(name, samples);
    this.#families.push({ name, type, help, unit, samples });
    this.#closedNames.add(name);
  }

  #checkHistogram(name: string, samples: readonly ParsedSample[]): void {
    const groups = new Map<string, ParsedSample[]>();
    for (const sample of samples) {
      const rest = Object.entries(sample.labels).filter(([label]) => label !== 'le');
      const key = JSON.stringify(rest);
      groups.set(key, [...(groups.get(key) ?? []), sample]);
    }
    for (const group of groups.values()) this.#checkBuckets(name, group);
  }

  /** `samples`: of one set of labels besides `le`. */
  #checkBuckets(name: string, samples: readonly ParsedSample[]): void {
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => this.#bound(labels['le']));
    const counts = buckets.map(({ value }) => value);
    const sorted = (values: readonly number[]): string => [...values].sort((a, b) => a - b).join();
    if (new Set(bounds).size < bounds.length || bounds.join() !== sorted(bounds))
      this.#fail(`${name}: bounds not in order`);
    if (counts.join() !== sorted(counts)) this.#fail(`${name}: buckets are not cumulative`);
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) this.#fail(`${name} has no bucket +Inf`);
    const totals = samples.filter((sample) => sample.name === `${name}_count`).map(({ value }) => value);
    if (totals.join() !== String(counts.at(-1))) this.#fail(`${name}: count differs from bucket +Inf`);
    if (samples.filter((sample) => sample.name === `${name}_sum`).length !== 1) this.#fail(`${name} has no sum`);
  }

  #bound(text: string | undefined): number {
    if (text === '+Inf') return Number.POSITIVE_INFINITY;
    if (text === undefined || !/^\d+(?:\.\d+)?(?:e[+-]\d+)?$/.test(text))
      return this.#fail(`bad le: ${text ?? 'none'}`);
    if (this.#format === 'openmetrics' && /^\d+$/.test(text)) this.#fail(`le without a fraction: ${text}`);
    return Number(text);
  }

  #fail(message: string): never {
    throw new Error(`line ${this.#lineNumber}: ${message}`);
  }
}
