/**
 * What a first list of `--pods` pods costs a kube-apiserver, by the way of asking: plain, compressed, and streamed by a watch
 * (WatchList). Prints a markdown table of medians. Linux only; `api-server` of `.ci/build-programs modules-kubernetes` must
 * be on the PATH.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { createAll, namespace, node, pod } from '../test/programs/real-api-server/cluster-objects.js';
import { adminToken, RealApiServer } from '../test/support/real-api-server.js';

const { values: flags } = parseArgs({
  options: {
    pods: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    // As large as a pod of a cluster, half of which is managedFields.
    padding: { type: 'string', default: '4500' },
  },
});
const mebibyte = 2 ** 20;
/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const tickMs = 10;

const ways = [
  { name: 'list, plain', query: 'resourceVersion=0', encoding: 'identity' },
  { name: 'list, compressed', query: 'resourceVersion=0', encoding: 'gzip' },
  {
    name: 'streamed by a watch',
    query:
      'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0',
    encoding: 'identity',
  },
] as const;
/** On the bookmark that ends the initial events of a stream. */
const endOfStream = 'k8s.io/initial-events-end';

await using server = await RealApiServer.start();
await createAll(server, 'namespaces', [namespace('shop')]);
await createAll(server, 'nodes', [node('node-0', {})]);
const pods = Array.from({ length: Number(flags.pods) }, (_, index) => {
  const created = pod(`pod-${index}`, 'node-0', { app: `app-${index % 50}` });
  return {
    ...created,
    metadata: { ...(created as { metadata: object }).metadata, annotations: { padding: padding(index) } },
  };
});
await createAll(server, 'pods', pods);

/** Text as repetitive as that of pods: names of fields with values of their own. */
function padding(index: number): string {
  let text = '';
  for (let at = 0; text.length < Number(flags.padding); at += 1)
    text += `f:status.conditions.k${at}:${index * 31 + at};`;
  return text;
}

function cpuMs(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

function residentBytes(field: 'VmRSS' | 'VmHWM'): number {
  const [, kibibytes] =
    new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

/** The bytes on the wire up to the last object. */
async function read({ query, encoding }: (typeof ways)[number]): Promise<number> {
  const headers = { authorization: `Bearer ${adminToken}`, 'accept-encoding': encoding, accept: 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.url}/api/v1/pods?${query}`, { ca: server.caPem, headers }, (response) => {
      let byteCount = 0;
      response.on('data', (chunk: Buffer) => {
        byteCount += chunk.length;
        if (!chunk.includes(endOfStream)) return;
        outgoing.destroy();
        resolve(byteCount);
      });
      response.once('end', () => {
        resolve(byteCount);
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

console.log('| Pods | Bytes | Time | CPU of the server | Its memory |\n| --- | --- | --- | --- | --- |');
for (const way of ways) {
  const rounds: { byteCount: number; tookMs: number; usedMs: number; grownBytes: number }[] = [];
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    await delay(3_000); // what it does by itself
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5'); // resets the peak
    const [beforeMs, beforeBytes, startMs] = [cpuMs(), residentBytes('VmRSS'), performance.now()];
    const byteCount = await read(way);
    const tookMs = performance.now() - startMs;
    rounds.push({ byteCount, tookMs, usedMs: cpuMs() - beforeMs, grownBytes: residentBytes('VmHWM') - beforeBytes });
  }
  const of = (value: (round: (typeof rounds)[number]) => number): number => median(rounds.map(value));
  const cells = [
    `${flags.pods}, ${way.name}`,
    `${(of(({ byteCount }) => byteCount) / 1e6).toFixed(1)} MB`,
    `${(of(({ tookMs }) => tookMs) / 1_000).toFixed(2)} s`,
    `${(of(({ usedMs }) => usedMs) / 1_000).toFixed(2)} s`,
    `+ ${(of(({ grownBytes }) => grownBytes) / mebibyte).toFixed(0)} MiB`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}
