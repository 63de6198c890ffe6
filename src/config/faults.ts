import { UserError } from '../base/errors.js';
import { nearest } from './suggestion.js';

/** One thing that is wrong with the settings. */
export interface Fault {
  /** The setting, such as `kubelet.tls.caFile`; a name that means nothing to us; empty when it concerns a whole file. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
  /** The file with the line, the environment variable or the flag. */
  readonly source: string;
}

/** Lines of a message: more say no more, and a message may go into a log line. */
const maxLines = 50;

/** All faults of one run; the message has a line for each. */
export class ConfigError extends UserError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const lines = faults.slice(0, maxLines).map(lineOf);
    const restCount = faults.length - lines.length;
    super([...lines, ...(restCount === 0 ? [] : [`and ${restCount} more`])].join('\n'));
    this.faults = faults;
  }
}

function lineOf({ path, found, allowed, source }: Fault): string {
  const start = path === '' ? `${source}: found ${found}` : `${path}: found ${found} (${source})`;
  return `${start}, allowed: ${allowed}`;
}

const maxQuotedLength = 60;

/** On one line and not long, whatever a file holds and a message quotes of it. */
export function shortened(text: string, maxLength = 300): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= maxLength ? line : `${line.slice(0, maxLength)}…`;
}

/** A value as a fault shows it. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return shortened(typeof value === 'number' ? String(value) : JSON.stringify(value), maxQuotedLength);
}

/** `["cluster", "namespaces", 1]` → `cluster.namespaces[1]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? keyText(step) : `${text}.${keyText(step)}`;
  }, '');
}

function keyText(key: PropertyKey): string {
  const text = String(key);
  return /^[\w./-]{1,80}$/.test(text) ? text : describeValue(text);
}

/** What is at `path` in a value; undefined when the way ends before. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (Reflect.get(at, step) as unknown) : undefined),
    value,
  );
}

/** The fault of a key that no setting has; `allowed` are the keys beside it. */
export function unknownKey(path: readonly PropertyKey[], source: string, allowed: readonly string[]): Fault {
  const near = nearest(String(path.at(-1)), allowed);
  const hint = near === undefined ? '' : ` (did you mean ${near}?)`;
  return { path: pathText(path), found: 'an unknown key', source, allowed: allowed.join(', ') + hint };
}
