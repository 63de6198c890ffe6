import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { isMap, isScalar, type Pair, parseDocument } from 'yaml';

import { type Json, type KubeObject, objectsOf } from './documents.js';

export const helmNames = ['helm3', 'helm4'] as const;
export type HelmName = (typeof helmNames)[number];

export const modes = ['deployment', 'sharded', 'node-local'] as const;
export type Mode = (typeof modes)[number];

export const chartFolder = fileURLToPath(new URL('../../../charts/ephemeral-storage-exporter', import.meta.url));

const name = 'ephemeral-storage-exporter';

export interface HelmOutput {
  readonly status: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs helm with these values. */
export function runHelm(helm: HelmName, args: readonly string[], values: Json = {}): HelmOutput {
  const { status, stdout, stderr } = spawnSync(helm, [...args, '--values', '-'], {
    encoding: 'utf8',
    input: JSON.stringify(values),
    maxBuffer: 2 ** 26,
  });
  return { status, out: stdout, error: stderr };
}

/** The objects of a release named as the objects of the overlays are. */
export function renderChart(helm: HelmName, values: Json): readonly KubeObject[] {
  const { status, out, error } = runHelm(helm, ['template', name, chartFolder, '--namespace', name], values);
  if (status !== 0 || error !== '') throw new Error(`${helm} template: ${error}`);
  return objectsOf(out, `${helm} template`);
}

const rendered = new Map<string, readonly KubeObject[]>();

/** By Helm 4, each only once. */
export function renderOnce(values: Json): readonly KubeObject[] {
  const key = JSON.stringify(values);
  const objects = rendered.get(key) ?? renderChart('helm4', values);
  rendered.set(key, objects);
  return objects;
}

/** Paths of the values, such as `image.tag`. Throws where the file has one without a comment. */
export function chartValues(): readonly string[] {
  const { contents } = parseDocument(readFileSync(path.join(chartFolder, 'values.yaml'), 'utf8'));
  if (!isMap(contents)) throw new Error('values.yaml: not a mapping');
  return valuesBelow(contents.items, '', contents.commentBefore);
}

/** The comment above the first key belongs to the mapping, which is a group of values where its keys have comments. */
function valuesBelow(items: readonly Pair[], prefix: string, first?: string | null): readonly string[] {
  return items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) throw new Error(`values.yaml: a key below ${prefix} is not a scalar`);
    const own = `${prefix}${String(key.value)}`;
    if (isMap(value) && value.commentBefore) return valuesBelow(value.items, `${own}.`, value.commentBefore);
    if (isMap(value) && value.items.some(({ value: inner }) => isMap(inner) && inner.commentBefore))
      return valuesBelow(value.items, `${own}.`, 'of the group');
    if (!key.commentBefore && (index > 0 || !first)) throw new Error(`values.yaml: ${own} has no comment`);
    return [own];
  });
}
