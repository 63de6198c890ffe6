import { gib, imageOfSize, imagesOf, kib, mib, minuteMs, still } from '../model/demo-units.js';
import type { Scenario, ScenarioContext } from '../model/scenario.js';
import { addDeployment, type DeploymentSpec } from '../model/simulated-workloads.js';
import type { ContainerSpec, ImageSpec, NodeSpec } from '../model/specs.js';
import { everyNode, nodeNamesOf } from './node-names.js';

/** In use from the start, and one that is not: all that image garbage collection can delete. */
const [serverImage, batchImage] = ['registry.example/vllm-openai:0.14', 'registry.example/tritonserver:26.10'];
const firstImages: readonly ImageSpec[] = [
  imageOfSize(serverImage, 9 * gib),
  imageOfSize(batchImage, 5 * gib),
  { ...imageOfSize('registry.example/vllm-openai:0.13', gib / 2), isUnused: true },
];

const pulledImages = [1, 2, 3, 4, 5].map((number) => `registry.example/model-weights:${number}`);
const cleanedAtMinute = 15;
const cycleMinutes = 20;

const logs = { initialBytes: 256 * kib, bytesPerSecond: kib, maxBytes: 10 * mib, rotatesToBytes: 5 * mib };

const server: ContainerSpec = {
  name: 'vllm-openai',
  image: serverImage,
  rootfs: still(40 * mib),
  logs,
  requestBytes: gib,
  limitBytes: 4 * gib,
};

/** Holds the images of models in use, as a puller of images does: one init container for each. */
const puller: readonly ContainerSpec[] = [
  ...[serverImage, batchImage, ...pulledImages].map((image, index): ContainerSpec => ({
    name: `pull-${index}`,
    kind: 'init',
    image,
    rootfs: still(0),
    logs: still(0),
  })),
  { name: 'pause', rootfs: still(4 * kib), logs: still(4 * kib) },
];

const router: ContainerSpec = { name: 'router', rootfs: still(8 * mib), logs, requestBytes: 64 * mib };

const servingImages = [...imagesOf(['router'], 8 * gib), imageOfSize(serverImage, 8 * gib)];

/** The disks of every fifth node, from the second one, fill up with images, of which hardly any are unused. */
export function imagesFullScenario(nodeCount: number): Scenario {
  const nodeNames = nodeNamesOf(nodeCount);
  const full = everyNode(nodeNames, 5, 2);
  const nodes = nodeNames.map((name): NodeSpec => {
    if (!full.includes(name)) return { name, images: servingImages };
    return {
      name,
      capacityBytes: 40 * gib,
      systemBytes: 4 * gib,
      images: firstImages,
      pressureTransitionMs: 2 * minuteMs,
    };
  });
  return {
    nodes,
    populate: (context) => {
      for (const deployment of deploymentsOn(nodeNames, full)) addDeployment(context, deployment);
      for (const name of full) pullImages(context, name);
    },
    highlights: { nodeName: full[0] ?? 'node-1', namespace: 'llm', deployment: 'router' },
  };
}

function deploymentsOn(nodeNames: readonly string[], full: readonly string[]): readonly DeploymentSpec[] {
  const cache = { name: 'cache', source: 'emptyDir', content: still(300 * mib) } as const;
  return [
    { namespace: 'llm', name: 'qwen-server', nodeNames: full, containers: [server], volumes: [cache] },
    { namespace: 'llm', name: 'llama-server', nodeNames, containers: [server], volumes: [cache] },
    {
      namespace: 'llm',
      name: 'router',
      nodeNames: nodeNames.filter((name) => !full.includes(name)),
      containers: [router],
    },
    { namespace: 'web', name: 'chat', nodeNames: full, containers: [{ ...router, name: 'chat' }] },
  ];
}

/** Pulls an image in each of the first minutes, and deletes them later, again and again. */
function pullImages({ model, schedule, random }: ScenarioContext, nodeName: string): void {
  model.addPod({
    namespace: 'llm',
    name: `image-puller-${random.nameSuffix(5)}`,
    nodeName,
    owner: { kind: 'DaemonSet', name: 'image-puller' },
    labels: { app: 'image-puller' },
    priority: 2_000_001_000,
    priorityClassName: 'system-node-critical',
    containers: puller,
  });
  let minute = 0;
  schedule.every(minuteMs, () => {
    minute = (minute % cycleMinutes) + 1;
    const node = model.node(nodeName);
    if (node === undefined) return;
    const pulled = pulledImages[minute - 1];
    if (pulled !== undefined) model.setImages(nodeName, [...node.images, imageOfSize(pulled, 2 * gib)]);
    if (minute === cleanedAtMinute) model.setImages(nodeName, firstImages);
  });
}
