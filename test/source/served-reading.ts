import type { RequestListener } from 'node:http';

import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { LoopbackServer } from '../http/loopback-server.js';
import { aStatusHandler, someRoutes } from '../server/test-server.js';
import { aMoment, aStatus } from '../support/status-builders.js';

/** What the listener of an exporter with this reading answers. */
export function answersOf(reading: ClusterReading): RequestListener {
  return someRoutes({ status: aStatusHandler({ moment: aMoment(aStatus(), reading) }) });
}

export async function serveReading(reading: ClusterReading): Promise<LoopbackServer> {
  const server = await LoopbackServer.listen();
  server.answer = answersOf(reading);
  return server;
}
