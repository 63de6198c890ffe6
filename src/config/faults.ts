import { UserError } from '../lib/base/errors.js';
import { oneLine, withoutUserInfo } from '../lib/base/text.js';

/** One thing that is wrong with the settings. */
export interface SettingFault {
  /** The setting, such as `kubelet.tls.caFile`, or an unknown name; empty when the fault concerns a whole file. */
  readonly path: string;
  /** Such as `found "x"`. */
  readonly problem: string;
  /** The file with the line, the environment variable or the flag. */
  readonly source: string;
  /** How to fix it, such as `allowed: true or false`. */
  readonly hint: string;
}

/** More lines help nobody, and a message may become a log line. */
const maxLines = 50;

/** All faults of one run; the message has a line for each. */
export class ConfigError extends UserError {
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    const lines = faults.slice(0, maxLines).map(({ path, problem, source, hint }) => {
      return `${path === '' ? `${source}: ${problem}` : `${path}: ${problem} (${source})`}; ${hint}`;
    });
    const moreCount = faults.length - lines.length;
    super([...lines, ...(moreCount === 0 ? [] : [`and ${moreCount} more`])].join('\n'));
    this.faults = faults;
  }
}

const maxQuotedLength = 60;

/** A value as a fault shows it, without the password of a URL. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = typeof value === 'string' ? withoutUserInfo(value) : value;
  return oneLine(typeof text === 'number' ? String(text) : JSON.stringify(text), maxQuotedLength);
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

/** The part of a value at `path`; undefined when there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (typeof at === 'object' && at !== null ? (Reflect.get(at, step) as unknown) : undefined),
    value,
  );
}
