/** What makes a zod schema a setting, and the tools that the kinds of setting are built with. */
import { z } from 'zod';

import { readYaml } from './yaml-text.js';

export interface SettingMeta {
  readonly help: string;
  /** The values that it takes: the end of "allowed: …". */
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

/** What every kind of setting is told. */
export interface About {
  readonly help: string;
  readonly flag?: string;
}

export function about({ help, flag }: About): About {
  return flag === undefined ? { help } : { help, flag };
}

/** Two forms of one value; `decode` accepts all that `schema` accepts. */
export function mapped<S extends z.ZodType, T>(
  schema: S,
  decode: (value: z.output<S>) => T,
  encode: (value: T) => z.output<S>,
) {
  return z.codec(schema, z.custom<T>(), { decode, encode });
}

/** Ends a `decode`; `problem` says more than that the value is not among those allowed. */
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
