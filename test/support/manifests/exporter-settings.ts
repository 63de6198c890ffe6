import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runArguments } from '../../../src/commands/command-line.js';
import { aCommandContext } from '../command-context.js';
import { temporaryFolder } from '../programs.js';
import { at, type Json, listAt } from './documents.js';

const mountedConfig = '/etc/ephemeral-storage-exporter/config.yaml';

export interface CheckedSettings {
  readonly status: number;
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
export async function checkSettings(container: Json, configText: string): Promise<CheckedSettings> {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'config.yaml');
  await writeFile(file, configText);
  const environment = { HOME: '/nonexistent', ...environmentOf(container, 'node-1') };
  const { context, out, error } = aCommandContext({ environment });
  const status = await runArguments(['check-config', ...flagsOf(container, file)], context);
  return { status, out: out(), error: error() };
}
