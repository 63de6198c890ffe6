import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { ChildCommand } from './child.js';
import { eventually, temporaryFolder } from './programs.js';

export interface Demo extends AsyncDisposable {
  /** Host and port. */
  readonly target: string;
  readonly command: ChildCommand;
}

async function listeningDemo(...flags: readonly string[]): Promise<Demo> {
  const command = new ChildCommand(['demo', '--web.listen-address', '127.0.0.1:0', ...flags]);
  const port = await command.printed(/exporter +https?:\/\/localhost:(\d+)\n/);
  return { target: `127.0.0.1:${port}`, command, [Symbol.asyncDispose]: () => command[Symbol.asyncDispose]() };
}

/** The demo as a separate process, ready. */
export async function startDemo(): Promise<Demo> {
  const demo = await listeningDemo();
  await eventually('the demo to be ready', async () =>
    (await fetch(`http://${demo.target}/readyz`)).ok ? true : undefined,
  );
  return demo;
}

export interface WebDemo extends Demo {
  /** Of its file of `--web.config.file` and what that names. */
  readonly folder: string;
  /** Writes a file into the folder. */
  readonly write: (name: string, text: string) => Promise<void>;
}

/** The demo with a file of `--web.config.file`, listening. `files`: by name, `web.yml` among them. */
export async function startWebDemo(files: Readonly<Record<string, string>>): Promise<WebDemo> {
  const folder = await temporaryFolder();
  const write = (name: string, text: string): Promise<void> => writeFile(path.join(folder.path, name), text);
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const demo = await listeningDemo('--web.config.file', path.join(folder.path, 'web.yml'));
  return {
    ...demo,
    folder: folder.path,
    write,
    [Symbol.asyncDispose]: async () => {
      await demo[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
