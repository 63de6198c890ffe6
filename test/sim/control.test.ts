import { describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../src/sim/cluster.js';
import { emptyScenario } from '../../src/sim/scenario.js';
import { callApi, callKubelet } from './wire.js';

async function start(): Promise<SimulatedCluster> {
  return SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2'), controlPort: 0 });
}

async function control(sim: SimulatedCluster, method: string, path: string, body?: string): Promise<Response> {
  return fetch(`${sim.controlUrl ?? ''}${path}`, { method, ...(body !== undefined && { body }) });
}

describe('the control endpoint', () => {
  it('switches the fault of a node on and off', async () => {
    await using sim = await start();
    expect((await control(sim, 'PUT', '/sim/nodes/node-1/fault', 'status:503\n')).status).toBe(204);
    expect((await callKubelet(sim, 'node-1')).status).toBe(503);
    expect((await callKubelet(sim, 'node-2')).status).toBe(200);
    expect((await control(sim, 'DELETE', '/sim/nodes/node-1/fault')).status).toBe(204);
    expect((await callKubelet(sim, 'node-1')).status).toBe(200);
  });

  it('switches the fault of the API server', async () => {
    await using sim = await start();
    await control(sim, 'PUT', '/sim/api/fault', 'status:503');
    expect((await callApi(sim, '/api/v1/pods')).status).toBe(503);
    await control(sim, 'DELETE', '/sim/api/fault');
    expect((await callApi(sim, '/api/v1/pods')).status).toBe(200);
  });

  it('lists the nodes with their faults', async () => {
    await using sim = await start();
    await sim.setFault('node-2', 'hang');
    await callKubelet(sim, 'node-1');
    expect(await (await control(sim, 'GET', '/sim/nodes')).json()).toEqual([
      { name: 'node-1', kubeletPort: sim.model.node('node-1')?.kubeletPort, requestCount: 1 },
      { name: 'node-2', kubeletPort: sim.model.node('node-2')?.kubeletPort, requestCount: 0, fault: 'hang' },
    ]);
  });

  it.each([
    ['PUT', '/sim/nodes/node-1/fault', 'broken', 400, 'no such fault'],
    ['PUT', '/sim/api/fault', 'hang', 400, 'no such fault of the API server'],
    ['PUT', '/sim/nodes/node-1/fault', 'x'.repeat(300), 400, 'larger than 256 bytes'],
    ['PUT', '/sim/nodes/node-9/fault', 'hang', 404, 'no such path or node'],
    ['GET', '/nope', undefined, 404, 'no such path or node'],
    ['POST', '/sim/nodes/node-1/fault', 'hang', 405, 'PUT or DELETE'],
  ])('answers %s %s %s with %i', async (method, path, body, status, message) => {
    await using sim = await start();
    const response = await control(sim, method, path, body);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(message);
  });

  it('is not there unless asked for', async () => {
    await using sim = await SimulatedCluster.start({ scenario: emptyScenario() });
    expect(sim.controlUrl).toBeUndefined();
  });
});
