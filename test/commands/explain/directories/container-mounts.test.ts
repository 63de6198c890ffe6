import { expect, it } from 'vitest';

import { podContainers } from '../../../../src/commands/explain/directories/container-mounts.js';

const startedAt = '2026-01-01T00:00:00Z';
const running = { running: { startedAt } };

const pod = {
  metadata: { namespace: 'shop', name: 'cart-0' },
  spec: {
    nodeName: 'node-1',
    volumes: [
      { name: 'cache', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'config', configMap: { name: 'config' } },
    ],
    initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }],
    containers: [
      {
        name: 'app',
        volumeMounts: [
          { name: 'cache', mountPath: '/cache//' },
          { name: 'cache', mountPath: '/part', subPath: 'a' },
          { name: 'memory', mountPath: '/dev/shm' },
          { name: 'config', mountPath: '/etc/app' },
          { name: 'odd', mountPath: 'relative' },
        ],
      },
    ],
    ephemeralContainers: [
      { name: 'ended', targetContainerName: 'app' },
      { name: 'look', targetContainerName: 'app' },
    ],
  },
  status: {
    phase: 'Running',
    initContainerStatuses: [{ name: 'setup', state: { terminated: {} } }],
    containerStatuses: [{ name: 'app', state: running }],
    ephemeralContainerStatuses: [
      { name: 'ended', state: { terminated: {} } },
      { name: 'look', state: running },
    ],
  },
};

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
        startedAtMs: Date.parse(startedAt),
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
