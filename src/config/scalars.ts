/**
 * The kinds of setting with one value. Each is a zod codec: `decode` takes the value of a file, `encode` returns the
 * form that people write.
 */
import { isAbsolute } from 'node:path';

import * as z from 'zod/mini';

import { parseQuantity } from '../cluster/kube/quantity.js';
import { formatDuration, parseDuration } from '../lib/base/units.js';
import { type About, about, inUnit, mapped, refuse, settingMeta } from './setting.js';
import { formatSize } from './values.js';

const textOrNumber = z.union([z.string(), z.number()]);

interface DurationSpec extends About {
  readonly default: string;
  readonly minMs: number;
  readonly maxMs: number;
  /** The purpose of 0, where it is allowed below `minMs`: "to …". */
  readonly zero?: string;
  /** What 0 and negative durations stand for, where they are allowed. */
  readonly nonPositiveMs?: number;
}

export function duration(spec: DurationSpec) {
  const codec = z.codec(textOrNumber, z.number(), {
    decode: (raw, payload) => {
      const durationMs = parseDuration(String(raw));
      return (durationMs === undefined ? undefined : acceptedMs(durationMs, spec)) ?? refuse(payload);
    },
    encode: (durationMs) => (durationMs === 0 ? 0 : formatDuration(durationMs)),
  });
  const schema = z
    .prefault(codec, spec.default)
    .register(settingMeta, { ...about(spec), allowed: allowedDurations(spec) });
  return inUnit('Ms', schema);
}

function acceptedMs(durationMs: number, { minMs, maxMs, zero, nonPositiveMs }: DurationSpec): number | undefined {
  if (durationMs <= 0 && nonPositiveMs !== undefined) return nonPositiveMs;
  if (durationMs === 0 && zero !== undefined) return 0;
  return durationMs >= minMs && durationMs <= maxMs ? durationMs : undefined;
}

function allowedDurations({ minMs, maxMs, zero, nonPositiveMs }: DurationSpec): string {
  const range = `a duration such as 500ms, 55s or 1h30m, from ${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
  if (nonPositiveMs !== undefined) return `${range}, or 0 or less for the default, ${formatDuration(nonPositiveMs)}`;
  return zero === undefined ? range : `${range}, or 0 ${zero}`;
}

export function size(spec: About & { readonly default: string; readonly minBytes: number; readonly maxBytes: number }) {
  const { minBytes, maxBytes } = spec;
  const codec = z.codec(textOrNumber, z.number(), {
    decode: (raw, payload) => {
      const bytes = parseQuantity(String(raw));
      return bytes !== undefined && bytes >= minBytes && bytes <= maxBytes ? bytes : refuse(payload);
    },
    encode: formatSize,
  });
  const schema = z.prefault(codec, spec.default).register(settingMeta, {
    ...about(spec),
    allowed: `a size such as 512Ki, 64Mi or 100M, from ${formatSize(minBytes)} to ${formatSize(maxBytes)}`,
  });
  return inUnit('Bytes', schema);
}

export function integer(spec: About & { readonly default: number; readonly min: number; readonly max: number }) {
  const { min, max } = spec;
  return z
    .prefault(integerWithin(min, max), spec.default)
    .register(settingMeta, { ...about(spec), allowed: allowedIntegers(spec), fromText: integerFromText });
}

/** 0 stands for "not set" and becomes undefined. */
export function optionalInteger({
  default: byDefault = 0,
  ...spec
}: About & {
  /** 0 without it. */
  readonly default?: number;
  readonly max: number;
  /** What 0 stands for. */
  readonly zero: string;
}) {
  const schema = mapped(
    integerWithin(0, spec.max),
    (value) => (value === 0 ? undefined : value),
    (value) => value ?? 0,
  );
  return z.prefault(schema, byDefault).register(settingMeta, {
    ...about(spec),
    allowed: `${allowedIntegers({ min: 1, max: spec.max })}, or 0 ${spec.zero}`,
    fromText: integerFromText,
  });
}

/** Undefined when it is not set: the default depends on where the exporter runs. */
export function derivedInteger(
  spec: Omit<Parameters<typeof integer>[0], 'default'> & { readonly defaultText: string },
) {
  return z.optional(integerWithin(spec.min, spec.max)).register(settingMeta, {
    ...about(spec),
    defaultText: spec.defaultText,
    allowed: allowedIntegers(spec),
    fromText: integerFromText,
  });
}

function integerWithin(min: number, max: number) {
  return z.int().check(z.gte(min), z.lte(max));
}

function allowedIntegers({ min, max }: { readonly min: number; readonly max: number }): string {
  return `a whole number from ${min} to ${max}`;
}

function integerFromText(text: string): unknown {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

export function boolean(spec: About & { readonly default: boolean }) {
  return z.prefault(z.boolean(), spec.default).register(settingMeta, { ...about(spec), ...trueOrFalse });
}

/** Undefined when it is not set: the default depends on other settings. */
export function optionalBoolean(spec: About & { readonly defaultText: string }) {
  return z.optional(z.boolean()).register(settingMeta, {
    ...about(spec),
    defaultText: spec.defaultText,
    ...trueOrFalse,
  });
}

/** The words, or the booleans that YAML 1.1 makes of them. */
export function onOff(spec: About & { readonly default: 'on' | 'off' }) {
  const codec = z.codec(z.union([z.enum(['on', 'off']), z.boolean()]), z.boolean(), {
    decode: (raw) => raw === 'on' || raw === true,
    encode: (isOn) => (isOn ? 'on' : 'off'),
  });
  return z
    .prefault(codec, spec.default)
    .register(settingMeta, { ...about(spec), allowed: 'on or off', choices: ['on', 'off'] });
}

const trueOrFalse = { allowed: 'true or false', choices: ['true', 'false'], fromText: booleanFromText } as const;

function booleanFromText(text: string): unknown {
  return text === 'true' || (text === 'false' ? false : text);
}

export function choice<const T extends readonly [string, ...string[]]>(
  spec: About & { readonly default: T[number]; readonly among: T },
) {
  return z.prefault(z.enum(spec.among), spec.default).register(settingMeta, {
    ...about(spec),
    allowed: spec.among.join(', ').replace(/, ([^,]*)$/, ' or $1'),
    choices: spec.among,
  });
}

export function text(
  spec: About & {
    readonly default: string;
    readonly allowed: string;
    readonly accepts: (text: string) => boolean;
  },
) {
  return z
    .prefault(z.string().check(z.refine(spec.accepts)), spec.default)
    .register(settingMeta, { ...about(spec), allowed: spec.allowed });
}

/** An empty text stands for "not set" and becomes undefined. */
export function optionalText(spec: Omit<Parameters<typeof text>[0], 'default'>) {
  const schema = mapped(
    z.string().check(z.refine((value) => value === '' || spec.accepts(value))),
    (value) => (value === '' ? undefined : value),
    (value) => value ?? '',
  );
  return z.prefault(schema, '').register(settingMeta, { ...about(spec), allowed: `${spec.allowed}, or "" for none` });
}

/** `mustBeAbsolute`: of a file that is written, as what a relative path stands for depends on where the process was started. */
export function optionalPath({ mustBeAbsolute = false, ...spec }: About & { readonly mustBeAbsolute?: boolean }) {
  return optionalText({
    ...spec,
    allowed: `the ${mustBeAbsolute ? 'absolute ' : ''}path of a file`,
    accepts: (path) => (mustBeAbsolute ? isAbsolute(path) : path.trim() !== '') && !path.includes('\0'),
  });
}
