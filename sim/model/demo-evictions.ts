import { gib, imageOfSize, kib, mib, minuteMs, still } from './demo-units.js';
import type { Growth } from './growth.js';
import type { Placement } from './placement.js';
import type { ScenarioContext } from './scenario.js';
import {
  addCronJob,
  addDaemonSet,
  addDeployment,
  type CronJobSpec,
  type DeploymentSpec,
  type WorkloadSpec,
} from './simulated-workloads.js';
import type { ImageSpec, NodeSpec } from './specs.js';

const fewLogs: Growth = { initialBytes: 8 * kib, bytesPerSecond: 256, maxBytes: 10 * mib, rotatesToBytes: 5 * mib };

/** Exceeds the size limit of its emptyDir after two minutes. Its jobs are not repeated. */
const reports: CronJobSpec = {
  namespace: 'ops',
  name: 'report',
  nodeNames: ['node-3'],
  containers: [{ name: 'render', rootfs: still(2 * mib), logs: fewLogs, requestBytes: 64 * mib }],
  volumes: [
    {
      name: 'work',
      source: 'emptyDir',
      sizeLimitBytes: 512 * mib,
      content: { initialBytes: 20 * mib, bytesPerSecond: 4 * mib, maxBytes: 1024 * mib },
    },
  ],
  everyMs: 20 * minuteMs,
  runMs: 6 * minuteMs,
  keptCount: 1,
  backoffLimit: 0,
};

/** One of its containers exceeds its limit after six minutes, its pod does not. */
const resizer: DeploymentSpec = {
  namespace: 'media',
  name: 'resizer',
  nodeNames: ['node-1'],
  containers: [
    {
      name: 'resize',
      rootfs: { initialBytes: 8 * mib, bytesPerSecond: 720 * kib, maxBytes: 384 * mib },
      logs: fewLogs,
      limitBytes: 256 * mib,
      requestBytes: 64 * mib,
    },
    { name: 'queue', rootfs: still(mib), logs: fewLogs, limitBytes: 256 * mib, requestBytes: 16 * mib },
  ],
};

/** Together, its containers and its volume exceed the limit of its pod after ten minutes. */
const profiler: WorkloadSpec = {
  namespace: 'monitoring',
  name: 'profiler',
  nodeNames: ['node-1', 'node-4'],
  containers: [
    { name: 'profile', rootfs: still(12 * mib), logs: fewLogs, limitBytes: 192 * mib, requestBytes: 32 * mib },
    { name: 'upload', rootfs: still(mib), logs: fewLogs },
  ],
  volumes: [
    {
      name: 'profiles',
      source: 'emptyDir',
      content: { initialBytes: mib, bytesPerSecond: 300 * kib, maxBytes: 384 * mib },
    },
  ],
};

/** Its jobs fill the disk of their node, for minutes. They declare no request, so that their pods are evicted first. */
const restores: CronJobSpec = {
  namespace: 'ops',
  name: 'restore',
  nodeNames: ['node-2'],
  containers: [{ name: 'unpack', rootfs: still(4 * mib), logs: fewLogs }],
  volumes: [
    {
      name: 'dump',
      source: 'emptyDir',
      content: { initialBytes: 64 * mib, bytesPerSecond: 13 * mib, maxBytes: 7 * gib },
    },
  ],
  everyMs: 20 * minuteMs,
  runMs: 18 * minuteMs,
  keptCount: 1,
  backoffLimit: 0,
};

const imagesOnTightNode: readonly ImageSpec[] = [
  imageOfSize('registry.example/unpack:1', 2.5 * gib),
  imageOfSize('registry.example/api:1', 2 * gib),
  { ...imageOfSize('registry.example/models:2', 1.5 * gib), isUnused: true },
];

/** A node on which the jobs that fill disks run. It stays under pressure for a short time only, so that more can be seen. */
export const tightNode: NodeSpec = {
  name: 'node-2',
  labels: { pool: 'general' },
  capacityBytes: 24 * gib,
  images: imagesOnTightNode,
  systemBytes: 5.6 * gib,
  pressureTransitionMs: 2 * minuteMs,
};

/** Workloads whose pods are evicted again and again, for a limit of each kind and under node pressure. */
export function addEvictions(context: ScenarioContext, placed: Placement): void {
  addDeployment(context, placed(resizer));
  addDaemonSet(context, placed(profiler));
  addCronJob(context, placed(reports));
  addCronJob(context, placed(restores));
  const { model, schedule } = context;
  schedule.every(restores.everyMs, () => {
    if (model.node(tightNode.name) !== undefined) model.setImages(tightNode.name, imagesOnTightNode);
  });
}
