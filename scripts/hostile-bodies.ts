/**
 * What bodies of one kubelet, or of `--nodes` of them at once, cost the exporter, by shape and size: the longest block of its
 * event loop in a scrape, as median and maximum of the scrapes, and the peak of its memory above that before the first.
 * `--warm-ups` is the number of scrapes of ordinary bodies before. `--trickle-ms` sends each body in chunks of 64 KiB, that far apart. Each body has a process of its own. Prints a markdown
 * table. Linux only.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { SimulatedCluster } from '../sim/cluster.js';
import type { SummaryAnswer } from '../sim/kubelets/kubelet.js';
import { emptyScenario } from '../sim/model/scenario.js';
import { answerWith, hostileBodies } from '../test/support/hostile-bodies.js';
import type { HttpAnswer } from '../test/support/http-get.js';
import { type Measured, MeasuredExporter } from '../test/support/measured-exporter.js';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '8,16,60' },
    nodes: { type: 'string', default: '1' },
    'warm-ups': { type: 'string', default: '5' },
    scrapes: { type: 'string', default: '5' },
    'trickle-ms': { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    settings: { type: 'string', default: 'cache: {ttl: 0}\nworkloads: {controllers: false}' },
  },
});

const mebibyte = 2 ** 20;
const chunkLength = 64 * 1024;

const badNodes = ['bad', ...Array.from({ length: Number(flags.nodes) - 1 }, (_, index) => `bad-${index + 2}`)];
await using cluster = await SimulatedCluster.start({ scenario: emptyScenario('good', ...badNodes) });
for (const nodeName of ['good', ...badNodes]) {
  cluster.model.addPod({
    namespace: 'shop',
    name: nodeName === 'bad' ? 'known' : `on-${nodeName}`,
    nodeName,
    containers: [{ name: 'app', rootfs: { initialBytes: mebibyte }, logs: { initialBytes: 0 } }],
  });
}
const knownUid = cluster.model.podsOn('bad')[0]?.uid ?? '';

async function costs(exporter: MeasuredExporter): Promise<readonly string[]> {
  const scrapes: Measured<HttpAnswer>[] = [];
  while (scrapes.length < Number(flags.scrapes)) scrapes.push(await exporter.measured(() => exporter.scrape()));
  const median = (of: (scrape: Measured<HttpAnswer>) => number): number =>
    scrapes.map(of).sort((a, b) => a - b)[Math.floor(scrapes.length / 2)] ?? NaN;
  const longestMs = Math.max(...scrapes.map(({ blockedMs }) => blockedMs));
  const peakBytes = Math.max(...scrapes.map((scrape) => scrape.peakBytes));
  return [
    `${median(({ blockedMs }) => blockedMs).toFixed(0)} / ${longestMs.toFixed(0)} ms`,
    `${((peakBytes - (scrapes[0]?.idleBytes ?? NaN)) / mebibyte).toFixed(0)} MiB`,
    `${(median(({ result }) => result.body.length) / mebibyte).toFixed(2)} MiB`,
    outcomes(scrapes.at(-1)?.result.text ?? ''),
  ];
}

/** Of the last scrape: how many nodes have which reason, or are served. */
function outcomes(text: string): string {
  const counts = new Map<string, number>();
  for (const nodeName of badNodes) {
    const [, reason = 'served'] = new RegExp(`node_absent_info\\{node="${nodeName}",reason="(\\w+)"`).exec(text) ?? [];
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return Array.from(counts, ([reason, count]) => (badNodes.length === 1 ? reason : `${count} ${reason}`)).join(', ');
}

function plainAnswer(body: string): SummaryAnswer {
  const pauseMs = Number(flags['trickle-ms']);
  return pauseMs === 0 ? answerWith(body) : chunkedAnswer(body, pauseMs);
}

/** The same body in chunks of 64 KiB, with pauses between them. */
function chunkedAnswer(body: string, pauseMs: number): SummaryAnswer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let start = 0; start < body.length && !response.destroyed; start += chunkLength) {
      response.write(body.slice(start, start + chunkLength));
      await delay(pauseMs);
    }
    response.end();
  };
}

/** The same body, of which a thousandth is sent. */
function gzippedAnswer(body: string): SummaryAnswer {
  return answerWith(gzipSync(body), { 'content-encoding': 'gzip' });
}

type AnswerOf = (nodeName: string) => SummaryAnswer;

async function measure(name: string, size: number, answerOf: AnswerOf): Promise<void> {
  await using exporter = await MeasuredExporter.start(cluster, flags.settings);
  for (const nodeName of badNodes) cluster.setSummaryAnswer(nodeName, undefined);
  for (let count = 0; count < Number(flags['warm-ups']); count += 1) await exporter.scrape();
  for (const nodeName of badNodes) cluster.setSummaryAnswer(nodeName, answerOf(nodeName));
  const cells = await costs(exporter).catch((error: unknown) => [String(error), '', '', '']);
  console.log(`| ${[name, `${size} MiB`, ...cells].join(' | ')} |`);
}

console.log('| Body | Size | Event loop blocked | Memory | Exposition | Node |\n| --- | --- | --- | --- | --- | --- |');
for (const size of flags.sizes.split(',').map(Number)) {
  for (const { name, of } of hostileBodies(knownUid).filter((body) => new RegExp(flags.only).test(body.name))) {
    const body = of(size * mebibyte - 10_000);
    const bodyOf = (nodeName: string): string => body.replace('"nodeName":"bad"', `"nodeName":"${nodeName}"`);
    await measure(name, size, (nodeName) => plainAnswer(bodyOf(nodeName)));
    if (name === 'blanks') await measure(`${name}, gzipped`, size, (nodeName) => gzippedAnswer(bodyOf(nodeName)));
  }
}
