import { setTimeout as delay } from 'node:timers/promises';

import type { BenchExporter } from '../exporter.js';
import type { Figures } from '../figures.js';
import type { Run } from '../run-options.js';
import { podCountOf } from '../shapes.js';

/** V8 collects what the start and the last scrape have left within a minute: more work than that of five idle minutes. */
const settleMs = 60_000;

/** Nobody scrapes, and 1 % of the pods are replaced in a minute. */
export async function measureIdle({ cluster, shape, idleSeconds }: Run, exporter: BenchExporter): Promise<Figures> {
  await cluster.setChurn(podCountOf(shape) / 100);
  await delay(settleMs);
  const before = await exporter.usage();
  await delay(idleSeconds * 1_000);
  const after = await exporter.usage();
  await cluster.setChurn(0);
  return { idleCpu: ((after.cpuMs - before.cpuMs) / (idleSeconds * 1_000)) * 100, idleRss: after.rssBytes };
}
