import { createHash } from 'node:crypto';

import { stringify } from 'yaml';
import * as z from 'zod/mini';
import { $ZodArray, $ZodCodec, $ZodObject, $ZodPrefault, $ZodReadonly } from 'zod/v4/core';

import { valueAt } from './faults.js';
import { type Config, processSettings, schema } from './schema.js';
import { type SettingMeta, settingMeta } from './setting.js';

/** The settings of the schema, as a tree for lookups and as rows for the documentation. */
// Not by `z.core`: that value would bring all of it into the bundle, with the languages of its messages.

type Schema = z.core.$ZodType;

export interface Setting {
  readonly kind: 'setting';
  readonly path: string;
  readonly schema: Schema;
  readonly meta: SettingMeta;
  readonly environmentName: string;
  /** See {@link processSettings}. */
  readonly isOfProcess: boolean;
}

/** The value that a text of the environment or the command line stands for. */
export function settingFromText({ meta }: Setting, text: string): unknown {
  return meta.fromText === undefined ? text : meta.fromText(text);
}

export interface Section {
  readonly kind: 'section';
  readonly children: ReadonlyMap<string, Section | Setting>;
}

export const environmentPrefix = 'EPHEMERAL_STORAGE_EXPORTER_';

export const rootSection: Section = sectionOf(schema, '');

export const allSettings: readonly Setting[] = [...settingsOf(rootSection)];

/** The section or setting at `path`, such as `["cache", "ttl"]`. */
export function nodeAt(path: readonly string[]): Section | Setting | undefined {
  return path.reduce<Section | Setting | undefined>(
    (node, key) => (node?.kind === 'section' ? node.children.get(key) : undefined),
    rootSection,
  );
}

function sectionOf(section: Schema, path: string): Section {
  const children = Object.entries(shapeOf(section)).map(([key, child]) => {
    const childPath = path === '' ? key : `${path}.${key}`;
    return [key, settingOf(child, childPath) ?? sectionOf(child, childPath)] as const;
  });
  return { kind: 'section', children: new Map(children) };
}

function settingOf(schema: Schema, path: string): Setting | undefined {
  const meta = settingMeta.get(schema);
  const isOfProcess = processSettings.includes(path);
  return meta && { kind: 'setting', path, schema, meta, environmentName: environmentNameOf(path), isOfProcess };
}

function environmentNameOf(path: string): string {
  return (
    environmentPrefix +
    path
      .replaceAll('.', '_')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toUpperCase()
  );
}

function* settingsOf(section: Section): Generator<Setting> {
  for (const child of section.children.values()) {
    if (child.kind === 'setting') yield child;
    else yield* settingsOf(child);
  }
}

/** The schema inside defaults, codecs and the like: an object, an array or a plain value. */
function innermost(schema: Schema): Schema {
  if (schema instanceof $ZodPrefault || schema instanceof $ZodReadonly) {
    return innermost(schema._zod.def.innerType);
  }
  return schema instanceof $ZodCodec ? innermost(schema._zod.def.in) : schema;
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  const inner = innermost(schema);
  return inner instanceof $ZodObject ? inner._zod.def.shape : {};
}

function itemOf(schema: Schema): Schema | undefined {
  const inner = innermost(schema);
  return inner instanceof $ZodArray ? inner._zod.def.element : undefined;
}

/** The known keys at `path` inside a setting. */
export function keysInside(setting: Setting, path: readonly PropertyKey[]): string[] {
  return Object.keys(shapeOf(schemasAlong(setting, path).at(-1) ?? setting.schema));
}

/** The description of the value at `path` inside a setting, from the innermost schema that has one. */
export function metaInside(setting: Setting, path: readonly PropertyKey[]): SettingMeta {
  const metas = schemasAlong(setting, path).map((schema) => settingMeta.get(schema));
  return metas.findLast((meta) => meta !== undefined) ?? setting.meta;
}

/** The schemas along `path`, from outside to inside, as far as the setting has them. */
function schemasAlong(setting: Setting, path: readonly PropertyKey[]): Schema[] {
  const schemas: Schema[] = [];
  let schema: Schema | undefined = setting.schema;
  for (const step of path) {
    schema = typeof step === 'number' ? itemOf(schema) : shapeOf(schema)[String(step)];
    if (schema === undefined) break;
    schemas.push(schema);
  }
  return schemas;
}

/** `flag` with its dashes. `environmentName`: undefined for the fields of a list's items. */
export type SettingRow = Omit<SettingMeta, 'fromText'> &
  Pick<Setting, 'path' | 'isOfProcess'> & {
    readonly environmentName: string | undefined;
    readonly defaultText: string;
  };

/** All settings, in the order of the schema; the fields of `workloads.selectors` follow it as `workloads.selectors[].name`. */
export function listSettings(): SettingRow[] {
  return allSettings.flatMap((setting) => [rowOf(setting), ...rowsInside(setting)]);
}

function rowOf({ path, schema, meta, environmentName, isOfProcess }: Setting): SettingRow {
  const { flag, defaultText = defaultTextOf(schema) } = meta;
  const withDashes = flag === undefined ? {} : { flag: `--${flag}` };
  return { ...meta, ...withDashes, path, environmentName, isOfProcess, defaultText };
}

function rowsInside({ path, schema }: Setting): SettingRow[] {
  const item = itemOf(schema);
  if (item === undefined) return [];
  return Object.entries(shapeOf(item)).flatMap(([key, child]) => {
    const setting = settingOf(child, `${path}[].${key}`);
    return setting === undefined ? [] : [{ ...rowOf(setting), environmentName: undefined }];
  });
}

function defaultTextOf(schema: Schema): string {
  if (!(schema instanceof $ZodPrefault)) return 'required';
  return stringify(schema._zod.def.defaultValue, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}

/** The values of all settings in the shape of the schema. */
export function valuesOf(section: Section, valueOf: (setting: Setting) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Array.from(section.children, ([key, child]): [string, unknown] => [
      key,
      child.kind === 'section' ? valuesOf(child, valueOf) : valueOf(child),
    ]),
  );
}

/** The effective settings as a file that yields the same settings. No setting is a secret. */
export function formatConfig(config: Config): string {
  const written = z.encode(schema, config);
  const inFile = valuesOf(rootSection, ({ path, isOfProcess }) =>
    isOfProcess ? undefined : valueAt(written, path.split('.')),
  );
  return stringify(inFile, { lineWidth: 0 });
}

const hashBytes = 6;

/** The first 48 bits of a hash over all settings: a whole number that a gauge carries exactly. */
export function configHash(config: Config): number {
  const digest = createHash('sha256')
    .update(JSON.stringify(z.encode(schema, config)))
    .digest();
  return digest.readUIntBE(0, hashBytes);
}
