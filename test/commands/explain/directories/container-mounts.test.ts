import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';
import { parse } from 'yaml';

import { podContainers } from '../../../../src/commands/explain/directories/container-mounts.js';

const file = new URL('../../../cases/objects/pod-with-helpers.yaml', import.meta.url);
const pod = parse(readFileSync(file, 'utf8')) as { readonly spec: object };

it('a pod has its sidecars and app containers, with emptyDirs on disk, all mount paths and who helps', () => {
  expect(podContainers(pod)).toEqual({
    namespace: 'shop',
    name: 'cart-0',
    node: 'node-1',
    phase: 'Running',
    sharesProcesses: false,
    containers: [
      { name: 'proxy', startedAtMs: undefined, emptyDirs: [], paths: [], helper: undefined },
      {
        name: 'app',
        startedAtMs: Date.UTC(2026, 0, 1),
        emptyDirs: [{ volume: 'cache', path: '/cache' }],
        paths: ['/cache', '/part', '/dev/shm', '/etc/app'],
        helper: 'look',
      },
    ],
  });
});

it.each([[{}], [{ spec: { containers: 'none', volumes: [null, 3] }, status: [] }]])(
  'the object %j is a pod without containers',
  (object) => {
    expect(podContainers(object).containers).toEqual([]);
  },
);

it.each(['shareProcessNamespace', 'hostPID'])('with %s an ephemeral container is of no use', (field) => {
  const shared = podContainers({ ...pod, spec: { ...pod.spec, [field]: true } });
  expect([shared.sharesProcesses, shared.containers[1]?.helper]).toEqual([true, undefined]);
});
