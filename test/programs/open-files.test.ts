import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { systemClock } from '../../src/lib/base/clock.js';
import { ChildCommand } from '../support/child.js';
import { parseExposition } from '../support/exposition-parser.js';
import { send } from '../support/http-get.js';
import { atNight } from '../support/nightly.js';
import { eventually } from '../support/programs.js';

const nodeCount = 300;
const timeoutMs = 120_000;

/** Pause before a closed hostile connection is opened again: the attack must not take the whole processor. */
const renewalMs = 500;

describe('a limit of open files below the number of nodes', () => {
  let folder = '';
  let cluster: SimulatedCluster;
  beforeAll(async () => {
    const names = Array.from({ length: nodeCount }, (_, index) => `node-${index}`);
    cluster = await SimulatedCluster.start({ clock: systemClock, scenario: emptyScenario(...names) });
    folder = await mkdtemp(path.join(tmpdir(), 'open-files-'));
    await writeFile(path.join(folder, 'kubeconfig'), cluster.kubeconfig());
  }, timeoutMs);
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const started = async (maxOpenFiles: number): Promise<{ readonly exporter: ChildCommand; readonly port: number }> => {
    const flags = ['--web.listen-address', '127.0.0.1:0', '--set', 'cache.ttl=1s', '--log.format', 'json'];
    const args = ['serve', '--kubeconfig', path.join(folder, 'kubeconfig'), ...flags];
    const exporter = new ChildCommand(args, { maxOpenFiles });
    return { exporter, port: Number(await exporter.printed(/"ports":"(\d+)"/)) };
  };

  it.each([96, 256])(
    'with a limit of %d open files, the exporter starts and serves all nodes, again and again',
    async (maxOpenFiles) => {
      const { exporter, port } = await started(maxOpenFiles);
      await using running = exporter;
      for (let turn = 0; turn < 3; turn += 1) {
        await eventually('data of all nodes', async () => {
          const { text } = await send({ port, path: '/metrics' });
          return availableNodes(text) === nodeCount ? true : undefined;
        });
      }
      expect((await send({ port, path: '/readyz' })).status).toBe(200);
      expect(warnings(running).filter((line) => line.includes('open files'))).toEqual([
        expect.stringMatching(/ulimit -n.*"openFileLimit":\d+,"needed":828,"nodeCount":300/),
      ]);
    },
    timeoutMs,
  );

  it.skipIf(process.platform !== 'linux').each([
    [24, 'serve'],
    [40, 'serve'],
    [24, 'top'],
  ])('a limit of %d open files ends %s with one line that names what is needed', async (maxOpenFiles, command) => {
    await using running = new ChildCommand([command, '--kubeconfig', path.join(folder, 'kubeconfig')], {
      maxOpenFiles,
    });
    expect(await running.ended()).toBe(1);
    expect(running.out).toMatch(
      new RegExp(`^the limit of open files is ${maxOpenFiles}, and 96 are needed: .*ulimit -n.*\n$`),
    );
  });

  it.skipIf(process.platform !== 'linux').each([128, 194, 256])(
    'a limit of %d open files lets all probes and scrapes pass under 400 renewed hostile connections',
    async (maxOpenFiles) => {
      const { exporter, port } = await started(maxOpenFiles);
      await using running = exporter;
      const prometheus = new Agent({ keepAlive: true, maxSockets: 1, localAddress: '127.0.0.9' });
      expect((await send({ port, path: '/metrics', agent: prometheus })).status).toBe(200);
      using attack = new HostileReaders(port);
      await eventually('the attack', () => Promise.resolve(attack.openedCount > 800 || undefined));
      let availableCount = 0;
      for (let turn = 0; turn < atNight(10, 4) || availableCount < nodeCount; turn += 1) {
        const scrape = await send({ port, path: '/metrics', agent: prometheus });
        const probes = await Promise.all(['/livez', '/readyz'].map((url) => send({ port, path: url })));
        const newcomer = await send({ port, path: '/metrics' });
        expect([scrape, ...probes, newcomer].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        availableCount = availableNodes(scrape.text);
      }
      prometheus.destroy();
      expect(warnings(running).filter((line) => line.includes('too many connections of clients'))).toHaveLength(1);
    },
    timeoutMs,
  );
});

function availableNodes(exposition: string): number {
  const families = parseExposition(exposition, 'text');
  const available = families.find(({ name }) => name === 'ephemeral_storage_node_data_available');
  return available?.samples.filter(({ value }) => value === 1).length ?? 0;
}

function warnings({ out }: ChildCommand): readonly string[] {
  return out.split('\n').filter((line) => line.includes('"level":"warn"'));
}

/** 100 connections of each of four addresses, a third of them with one request; opens a new one for each that is closed. */
class HostileReaders implements Disposable {
  openedCount = 0;
  readonly #sockets = new Set<Socket>();
  #isOver = false;

  constructor(port: number) {
    for (let index = 0; index < 400; index += 1) {
      this.#open({ port, localAddress: `127.0.0.${2 + (index % 4)}`, isSilent: index % 3 > 0 });
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(options: { readonly port: number; readonly localAddress: string; readonly isSilent: boolean }): void {
    if (this.#isOver) return;
    this.openedCount += 1;
    const { port, localAddress, isSilent } = options;
    const socket = connect({ host: '127.0.0.1', port, localAddress }).resume();
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    if (!isSilent) socket.write('HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => {
        this.#open(options);
      }, renewalMs);
    });
  }
}
