import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { at, type Json, listAt } from './documents.js';

const cli = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

const mountedConfig = '/etc/ephemeral-storage-exporter/config.yaml';

export interface CheckedSettings {
  readonly status: number | null;
  readonly out: string;
  readonly error: string;
}

/** The container's arguments without the command, which must be `serve`; with another settings file than the mounted one. */
export function flagsOf(container: Json, configFile: string): readonly string[] {
  const args = Array.isArray(container['args']) ? container['args'].map(String) : [];
  const [command, ...flags] = args;
  if (command !== 'serve') throw new Error(`the first argument is ${String(command)}, not serve`);
  return flags.map((flag) => flag.replace(mountedConfig, configFile));
}

/** The environment of the container; `nodeName` is the name of its node. */
export function environmentOf(container: Json, nodeName: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listAt(container, 'env').map((variable) => {
      const path = at(variable, 'valueFrom', 'fieldRef', 'fieldPath');
      if (path !== undefined && path !== 'spec.nodeName')
        throw new Error(`unexpected fieldPath ${JSON.stringify(path)}`);
      return [String(variable['name']), path === undefined ? String(variable['value']) : nodeName];
    }),
  );
}

/** The output of `check-config` for a container's arguments and environment and for its configuration file. */
export function checkSettings(container: Json, configText: string): CheckedSettings {
  const folder = mkdtempSync(join(tmpdir(), 'ephemeral-storage-exporter-test-'));
  try {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, configText);
    const args = ['--import', 'tsx', cli, 'check-config', ...flagsOf(container, file)];
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...environmentOf(container, 'node-1') };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env, timeout: 30_000 });
    return { status, out: stdout, error: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
