import { ChildCommand } from './child.js';
import { eventually } from './programs.js';

export interface Demo extends AsyncDisposable {
  /** Host and port. */
  readonly target: string;
  readonly command: ChildCommand;
}

/** The demo as a separate process, ready. */
export async function startDemo(): Promise<Demo> {
  const command = new ChildCommand('demo', '--web.listen-address', '127.0.0.1:0');
  const port = await command.printed(/exporter +http:\/\/localhost:(\d+)\n/);
  const target = `127.0.0.1:${port}`;
  await eventually('the demo to be ready', async () =>
    (await fetch(`http://${target}/readyz`)).ok ? true : undefined,
  );
  return { target, command, [Symbol.asyncDispose]: () => command[Symbol.asyncDispose]() };
}
