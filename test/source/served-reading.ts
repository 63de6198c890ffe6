import type { RequestListener } from 'node:http';

import { Scheduler } from '../../src/lib/base/scheduler.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { StatusHandler } from '../../src/serve/server/status-handler.js';
import { LoopbackServer } from '../http/loopback-server.js';
import { someRoutes } from '../server/test-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { aMoment, aStatus } from '../support/status-builders.js';

/** What the listener of an exporter with this reading answers. */
export function answersOf(reading: ClusterReading): RequestListener {
  const clock = new ManualClock();
  const status = new StatusHandler({
    source: { read: () => Promise.resolve(aMoment(aStatus(), reading)) },
    lane: new Scheduler(clock).newLane(),
    metricsPath: '/metrics',
    documentationUrl: 'https://docs.example.com/',
    clock,
  });
  return someRoutes({ status });
}

export async function serveReading(reading: ClusterReading): Promise<LoopbackServer> {
  const server = await LoopbackServer.listen();
  server.answer = answersOf(reading);
  return server;
}
