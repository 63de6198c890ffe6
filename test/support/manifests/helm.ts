import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
