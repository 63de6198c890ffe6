/** What makes a zod schema a setting or a section of settings, and the tools that the kinds of setting are built with. */
import * as z from 'zod/mini';

import { readYaml } from './yaml-text.js';

export interface SettingMeta {
  readonly help: string;
  /** The allowed values: the end of "allowed: …". */
  readonly allowed: string;
  /** The same as a list, where there are few. */
  readonly choices?: readonly string[];
  /** The value that a text of the environment or the command line stands for; without it, the text itself. */
  readonly fromText?: (text: string) => unknown;
  /** The command line flag, without dashes. */
  readonly flag?: string;
  /** For a default that depends on other settings. */
  readonly defaultText?: string;
}

/** Holds settings and, inside the setting that is a list of mappings, their fields. Sections are not in it. */
export const settingMeta = z.registry<SettingMeta>();

/** What each declaration of a setting has, whatever its kind. */
export interface About {
  readonly help: string;
  readonly flag?: string;
}

export function about({ help, flag }: About): About {
  return flag === undefined ? { help } : { help, flag };
}

type Unit = 'Ms' | 'Bytes';

/** A kind of setting with a unit, which becomes part of the name in Config: `ttl` → `ttlMs`, `maxBodySize` → `maxBodyBytes`. */
interface InUnit<U extends Unit> {
  readonly unit: U;
}

export function inUnit<S extends z.ZodMiniType, U extends Unit>(unit: U, schema: S): InUnit<U> & S {
  return Object.assign(schema, { unit });
}

type FieldName<K extends string, S> =
  S extends InUnit<infer U> ? (K extends `${infer Stem}Size` ? `${Stem}${U}` : `${K}${U}`) : K;

function fieldName(key: string, schema: z.ZodMiniType & Partial<InUnit<Unit>>): string {
  return schema.unit === undefined ? key : key.replace(/Size$/, '') + schema.unit;
}

type SectionValue<F extends Readonly<Record<string, z.ZodMiniType>>> = {
  readonly [K in keyof F & string as FieldName<K, F[K]>]: z.output<F[K]>;
};

/** Settings under one key of the file. Each has a default, and so has the section. */
export function section<F extends Readonly<Record<string, z.ZodMiniType>>>(fields: F) {
  const names = Object.entries(fields).map(([key, schema]) => [key, fieldName(key, schema)] as const);
  const schema = z.strictObject(fields);
  const codec = z.codec(schema, z.custom<SectionValue<F>>(), {
    decode: (value: object) => renamed(value, names) as SectionValue<F>,
    encode: (value) =>
      renamed(
        value,
        names.map(([key, name]) => [name, key] as const),
      ) as z.output<typeof schema>,
  });
  return z.prefault(codec, {} as z.input<typeof schema>);
}

function renamed(value: object, names: readonly (readonly [from: string, to: string])[]): object {
  const values = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(names.map(([from, to]) => [to, values.get(from)]));
}

/** Two forms of one value; `decode` accepts all that `schema` accepts. */
export function mapped<S extends z.ZodMiniType, T>(
  schema: S,
  decode: (value: z.output<S>) => T,
  encode: (value: T) => z.output<S>,
) {
  return z.codec(schema, z.custom<T>(), { decode, encode });
}

/** Ends a `decode` with a fault; `problem` adds a detail to the allowed values. */
export function refuse(payload: z.core.ParsePayload, problem?: string): never {
  payload.issues.push({ code: 'custom', input: payload.value, params: { problem } });
  return z.NEVER;
}

/** The list or mapping that a YAML flow text holds, such as `[a, b]`; any other text as `otherwise` reads it. */
export function fromFlowText(text: string, otherwise: (text: string) => unknown): unknown {
  if (!/^\s*[[{]/.test(text)) return otherwise(text);
  const { value, problems } = readYaml(text);
  return problems.length === 0 ? value : otherwise(text);
}

export const asText = (text: string): string => text;
