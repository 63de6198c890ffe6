import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ProbeOutcome {
  readonly code: number | null;
  readonly paths: readonly (string | undefined)[];
}

/** Runs a command of node that asks an exporter on port 9797, for one with this status; without one nothing listens. */
export async function runProbe(command: unknown, status: number | undefined): Promise<ProbeOutcome> {
  if (!Array.isArray(command) || command[0] !== 'node') throw new Error('not a command of node');
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.writeHead(status ?? 500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (status === undefined) server.close();
  const args = command.slice(1).map((arg) => String(arg).replace(/[\w.-]+:9797/, `127.0.0.1:${String(port)}`));
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  server.close();
  return { code, paths };
}
