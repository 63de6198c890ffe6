// @module-tag sockets

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, it } from 'vitest';

import { at, readObjects } from '../support/manifests/documents.js';
import { exporterOf } from '../support/manifests/policies.js';

const exporter = exporterOf(readObjects('overlays/sidecar/sidecar.yaml'));

/** The exit code of the probe's command for this `answer` of the exporter; without one nothing listens. */
async function exitCodeOf(probe: string, answer: number | undefined): Promise<number> {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.writeHead(answer ?? 500).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  if (answer === undefined) server.close();
  const command = at(exporter, probe, 'exec', 'command');
  if (!Array.isArray(command) || command[0] !== 'node') throw new Error('not a command of node');
  const args = command.slice(1).map((arg) => String(arg).replace(':9797', `:${String(port)}`));
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number];
  if (answer !== undefined) {
    expect(paths).toEqual([probe === 'readinessProbe' ? '/readyz' : '/livez']);
    server.close();
  }
  return code;
}

it.each(['startupProbe', 'livenessProbe', 'readinessProbe'])(
  'the %s of the sidecar passes and fails with what the exporter says',
  async (probe) => {
    expect(await exitCodeOf(probe, 200)).toBe(0);
    expect(await exitCodeOf(probe, 503)).toBe(1);
    expect(await exitCodeOf(probe, undefined)).toBe(1);
  },
);
