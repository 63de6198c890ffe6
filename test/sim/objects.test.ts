// @module-tag sockets

import { expect, it } from 'vitest';

import { SimulatedCluster } from '../../sim/cluster.js';
import { emptyScenario } from '../../sim/model/scenario.js';
import { imageIdOf } from '../../sim/model/simulated-images.js';
import type { NodeSpec } from '../../sim/model/specs.js';
import { ManualClock } from '../support/manual-clock.js';
import { gib, mib } from '../support/units.js';
import { podSpec } from './pods.js';
import { callApi, callKubelet } from './wire.js';

async function nodeOf(spec: Partial<NodeSpec>): Promise<{ status: Record<string, unknown> }> {
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario(), clock: new ManualClock() });
  await sim.addNode({ name: 'node-1', ...spec });
  return JSON.parse((await callApi(sim, '/api/v1/nodes/node-1')).text) as { status: Record<string, unknown> };
}

async function diskOf(sim: SimulatedCluster, nodeName: string) {
  const { node } = JSON.parse((await callKubelet(sim, nodeName)).text) as {
    node: { fs: { usedBytes: number }; runtime: { imageFs: { usedBytes: number } } };
  };
  return { usedBytes: node.fs.usedBytes, imagesBytes: node.runtime.imageFs.usedBytes };
}

it('a node object lists its images, the 50 largest first', async () => {
  const images = Array.from({ length: 60 }, (_, index) => ({
    name: `image:${index}`,
    sizeBytes: (index + 1) * 4096,
  }));
  const listed = (await nodeOf({ images })).status['images'] as readonly { names: string[]; sizeBytes: number }[];
  expect(listed.length).toBe(50);
  expect(listed[0]).toEqual({ names: [imageIdOf('image:59'), 'image:59'], sizeBytes: 60 * 4096 });
});

it('a node object lists compressed copies by their size, and the disk holds them beside the images', async () => {
  const image = { name: 'registry.example/app:1', sizeBytes: gib };
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario(), clock: new ManualClock() });
  await sim.addNode({ name: 'node-1', images: [image] });
  await sim.addNode({ name: 'node-2', images: [{ ...image, contentBytes: 400 * mib }] });
  const { images } = (JSON.parse((await callApi(sim, '/api/v1/nodes/node-2')).text) as { status: { images: unknown } })
    .status;
  expect(images).toEqual([{ names: [imageIdOf(image.name), image.name], sizeBytes: 400 * mib }]);
  const [without, withCopies] = await Promise.all(['node-1', 'node-2'].map((name) => diskOf(sim, name)));
  expect(withCopies).toEqual({
    imagesBytes: without?.imagesBytes,
    usedBytes: (without?.usedBytes ?? NaN) + 400 * mib,
  });
});

it('the image of a container has the same ID on its node', async () => {
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario(), clock: new ManualClock() });
  await sim.addNode({ name: 'node-1', images: [{ name: 'registry.example/app:1', sizeBytes: gib }] });
  sim.model.addPod(podSpec('a'));
  const { text } = await callApi(sim, '/api/v1/namespaces/default/pods/a');
  expect(JSON.parse(text)).toMatchObject({
    status: {
      containerStatuses: [{ image: 'registry.example/app:1', imageID: imageIdOf('registry.example/app:1') }],
    },
  });
  expect(imageIdOf('registry.example/app:1')).toMatch(/^registry\.example\/app@sha256:[0-9a-f]{64}$/);
});

it('the image filesystem of a summary uses the bytes of images and writable layers', async () => {
  await using sim = await SimulatedCluster.start({ scenario: emptyScenario(), clock: new ManualClock() });
  await sim.addNode({ name: 'node-1', imagesBytes: gib });
  sim.model.addPod(podSpec('a'));
  const { node } = JSON.parse((await callKubelet(sim, 'node-1')).text) as {
    node: { runtime: { imageFs: { usedBytes: number } } };
  };
  expect(node.runtime.imageFs.usedBytes).toBe(gib + 8192);
});
