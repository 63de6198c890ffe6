// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { ManualClock } from '../support/manual-clock.js';
import { callKubelet } from './wire.js';

async function start(): Promise<SimulatedCluster> {
  return SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2'), controlPort: 0 });
}

async function control(sim: SimulatedCluster, method: string, path: string, body?: string): Promise<Response> {
  return fetch(`${sim.controlUrl ?? ''}${path}`, { method, ...(body !== undefined && { body }) });
}

it('the control endpoint sets and clears the fault of a node', async () => {
  await using sim = await start();
  expect((await control(sim, 'PUT', '/sim/nodes/node-1/fault', 'status:503\n')).status).toBe(204);
  expect((await callKubelet(sim, 'node-1')).status).toBe(503);
  expect((await callKubelet(sim, 'node-2')).status).toBe(200);
  expect((await control(sim, 'DELETE', '/sim/nodes/node-1/fault')).status).toBe(204);
  expect((await callKubelet(sim, 'node-1')).status).toBe(200);
});

it('the control endpoint overrides the faults that a scenario schedules', async () => {
  const clock = new ManualClock();
  const scheduled = { nodeName: 'node-1', fault: 'status:500', everyMs: 10_000, lastsMs: 2_000 } as const;
  const scenario = { ...emptyScenario('node-1'), faultSchedules: [scheduled] };
  await using sim = await SimulatedCluster.start({ clock, scenario, controlPort: 0 });
  await clock.advance(8_000);
  expect((await callKubelet(sim, 'node-1')).status).toBe(500);
  await clock.advance(2_000);
  expect((await callKubelet(sim, 'node-1')).status).toBe(200);
  await control(sim, 'PUT', '/sim/nodes/node-1/fault', 'status:418');
  await clock.advance(8_000);
  expect((await callKubelet(sim, 'node-1')).status).toBe(418);
  await clock.advance(2_000);
  expect((await callKubelet(sim, 'node-1')).status).toBe(418);
});

it.each([
  { method: 'PUT', path: '/sim/nodes/node-1/fault', body: 'broken', status: 400, message: 'unknown fault' },
  {
    method: 'PUT',
    path: '/sim/api-server/fault',
    body: 'hang',
    status: 400,
    message: 'unknown fault of the API server',
  },
  { method: 'PUT', path: '/sim/nodes/node-1/fault', body: 'x'.repeat(300), status: 400, message: 'than 256 bytes' },
  { method: 'PUT', path: '/sim/nodes/node-9/fault', body: 'hang', status: 404, message: 'unknown path or node' },
  { method: 'GET', path: '/nope', status: 404, message: 'unknown path or node' },
  { method: 'POST', path: '/sim/nodes/node-1/fault', body: 'hang', status: 405, message: 'allowed: PUT, DELETE' },
])('the endpoint answers $method $path with $status: $message', async ({ method, path, body, status, message }) => {
  await using sim = await start();
  const response = await control(sim, method, path, body);
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(message);
});

it('the control endpoint is closed by default', async () => {
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario() });
  expect(sim.controlUrl).toBeUndefined();
});
