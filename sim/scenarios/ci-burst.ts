import { gib, imagesOf, kib, mib, minuteMs, still } from '../model/demo-units.js';
import type { Random } from '../model/random.js';
import type { Scenario, ScenarioContext } from '../model/scenario.js';
import { addDeployment } from '../model/simulated-workloads.js';
import type { ContainerSpec, OwnerSpec, PodSpec } from '../model/specs.js';
import { nodeNamesOf } from './node-names.js';

/** A kind of pod that lives for minutes and writes most of what it writes at once. */
interface ShortLived {
  readonly namespace: string;
  readonly container: string;
  readonly volume: string;
  /** Of what it writes: most stay below the limit. */
  readonly burstGib: readonly [low: number, high: number];
  readonly limitBytes: number;
  readonly runMinutes: readonly [low: number, high: number];
  /** What a name starts with, and the owner that its pod alone has. */
  readonly nameOf: (random: Random) => { readonly name: string; readonly owner: OwnerSpec };
}

/** Clones, installs and builds in a workspace of its own. */
const runner: ShortLived = {
  namespace: 'arc-runners',
  container: 'runner',
  volume: 'work',
  burstGib: [0.6, 4.4],
  limitBytes: 4 * gib,
  runMinutes: [2, 5],
  nameOf: (random) => {
    const name = `linux-x64-kxjcw-runner-${random.nameSuffix(5)}`;
    return { name, owner: { kind: 'EphemeralRunner', name } };
  },
};

/** Runs what a coding agent wants to run: package caches, browsers, a checkout. */
const sandbox: ShortLived = {
  namespace: 'agent-sandboxes',
  container: 'sandbox',
  volume: 'workspace',
  burstGib: [0.2, 2.2],
  limitBytes: 2 * gib,
  runMinutes: [3, 8],
  nameOf: (random) => {
    const name = `coding-agent-${random.nameSuffix(8)}`;
    return { name, owner: { kind: 'Sandbox', name } };
  },
};

/** A test of a merge request, split into shards. */
const testShard: ShortLived = {
  namespace: 'ci',
  container: 'test',
  volume: 'node-modules',
  burstGib: [0.3, 1.2],
  limitBytes: 2 * gib,
  runMinutes: [1, 3],
  nameOf: (random) => {
    const name = `e2e-mr-${1000 + Math.floor(random.next() * 9000)}-${random.nameSuffix(5)}`;
    return { name: `${name}-${random.nameSuffix(5)}`, owner: { kind: 'Job', name } };
  },
};

const kinds = [runner, sandbox, testShard, sandbox, runner];

const startEveryMs = 30_000;
const atStartCount = 4;
/** Time until somebody deletes a pod that has ended. */
const keptMs = minuteMs;

const logs = { initialBytes: 64 * kib, bytesPerSecond: 24 * kib, maxBytes: 20 * mib, rotatesToBytes: 10 * mib };

/** Pods of every node that stay: what the short-lived ones share. */
const cache: ContainerSpec = {
  name: 'buildkit',
  rootfs: still(20 * mib),
  logs,
  requestBytes: gib,
  limitBytes: 20 * gib,
};

/** Agent sandboxes and runners of CI that live for minutes, each with a burst of writes; some write more than their limit. */
export function ciBurstScenario(nodeCount: number): Scenario {
  const nodeNames = nodeNamesOf(nodeCount);
  const images = imagesOf(['runner', 'sandbox', 'test', 'buildkit'], 8 * gib);
  return {
    nodes: nodeNames.map((name) => ({ name, images, labels: { pool: 'ci' } })),
    populate: (context) => {
      addDeployment(context, {
        namespace: 'ci',
        name: 'buildkit',
        nodeNames,
        containers: [cache],
        volumes: [
          {
            name: 'layers',
            source: 'emptyDir',
            content: { initialBytes: 3 * gib, bytesPerSecond: 8 * mib, maxBytes: 9 * gib, rotatesToBytes: 4 * gib },
          },
        ],
      });
      for (const [index, nodeName] of nodeNames.entries()) runShortLived(context, nodeName, index);
      removeFailed(context);
    },
    highlights: { nodeName: 'node-1', namespace: 'ci', deployment: 'buildkit' },
  };
}

function runShortLived(context: ScenarioContext, nodeName: string, index: number): void {
  let count = index;
  const start = (startAfterMs: number): void => {
    addShortLived(context, { nodeName, kind: kinds[count++ % kinds.length] ?? runner, startAfterMs });
  };
  for (let started = 0; started < atStartCount; started++) start(started * 5_000);
  context.schedule.every(startEveryMs, () => {
    if (context.model.node(nodeName)?.hasDiskPressure === false) start(2_000);
  });
}

function addShortLived(
  { model, schedule, random }: ScenarioContext,
  { nodeName, kind, startAfterMs }: Pick<PodSpec, 'startAfterMs'> & { nodeName: string; kind: ShortLived },
): void {
  const { namespace, container, volume, limitBytes } = kind;
  const { name, owner } = kind.nameOf(random);
  const burstBytes = random.between(...kind.burstGib) * gib;
  const runMs = Math.round(random.between(...kind.runMinutes) * minuteMs);
  const pod = model.addPod({
    namespace,
    name,
    nodeName,
    owner,
    labels: { app: kind.container, 'app.kubernetes.io/part-of': namespace },
    containers: [{ name: container, rootfs: still(16 * mib), logs, requestBytes: 256 * mib, limitBytes }],
    volumes: [
      {
        name: volume,
        source: 'emptyDir',
        // Written within the first minute or so, then kept.
        content: { initialBytes: 4 * mib, bytesPerSecond: burstBytes / random.between(20, 70), maxBytes: burstBytes },
      },
    ],
    runMs,
    startAfterMs: startAfterMs ?? 0,
  });
  schedule.after((startAfterMs ?? 0) + runMs + keptMs, () => {
    if (model.hasPod(pod)) model.deletePod(namespace, name);
  });
}

/** A pod that has failed is not started again: what wanted it asks for another one. */
function removeFailed({ model, schedule }: ScenarioContext): void {
  const namespaces = new Set(kinds.map(({ namespace }) => namespace));
  model.onPodFailed((pod) => {
    const { namespace, name, runMs } = pod.spec;
    if (!namespaces.has(namespace) || runMs === undefined) return;
    schedule.after(keptMs, () => {
      if (model.hasPod(pod)) model.deletePod(namespace, name);
    });
  });
}
