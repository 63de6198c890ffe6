import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { staticCredentials } from '../../src/cluster/credentials/credentials.js';
import type { CommandContext } from '../../src/commands/context.js';
import { runApp } from '../../src/commands/run-app.js';
import { loadSettings, type SettingFlags } from '../../src/config/load.js';
import { podSpec } from '../sim/pods.js';
import { aCommandContext } from '../support/command-context.js';
import { temporaryFolder } from '../support/programs.js';

export interface RunningCommand extends AsyncDisposable {
  readonly port: number;
  readonly cluster: SimulatedCluster;
  /** Writes a file into its folder. */
  readonly write: (name: string, text: string) => Promise<void>;
  readonly hangUp: () => void;
  readonly log: () => string;
  /** Of the command. */
  readonly ended: Promise<void>;
}

interface RunningOptions {
  /** Those of its folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly flagsIn: (folder: string) => SettingFlags;
  readonly overrides?: Partial<CommandContext>;
}

/** The exporter as `serve` runs it, listening, in front of a cluster with one pod. Rejects when it ends before that. */
export async function startCommand({ files, flagsIn, overrides }: RunningOptions): Promise<RunningCommand> {
  const folder = await temporaryFolder();
  const cluster = await SimulatedCluster.start({ scenario: emptyScenario('node-1') });
  cluster.model.addPod(podSpec('cart', { labels: { app: 'cart', team: 'shop' } }));
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder.path, name), text);
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const hangUps: (() => void)[] = [];
  const command = aCommandContext({ onHangUp: (listener) => hangUps.push(listener), ...overrides });
  const { values, ...flags } = flagsIn(folder.path);
  const settings = { ...flags, values: { 'web.listen-address': ['127.0.0.1:0'], ...values } };
  let ended = Promise.resolve();
  const dispose = async (): Promise<void> => {
    command.stop();
    await ended.catch(() => undefined); // is awaited by the test that expects it
    await cluster[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  try {
    const loaded = await loadSettings(settings, command.context);
    const port = await new Promise<number>((resolve, reject) => {
      ended = runApp({
        settings: loaded,
        credentials: staticCredentials({ server: new URL(cluster.apiUrl), ca: cluster.caPem, token: cluster.token }),
        context: command.context,
        onListening: ([first = 0]) => {
          resolve(first);
        },
      });
      ended.catch(reject);
    });
    const hangUp = (): void => {
      for (const listener of hangUps) listener();
    };
    return { port, cluster, write, hangUp, log: command.error, ended, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
