import { expect, it } from 'vitest';

import { mainPart } from '../../src/facts/history/eviction-record.js';
import { aContainerUsage, aPodUsage, aVolumeUsage } from '../support/snapshot-builders.js';

const usage = aPodUsage({
  containers: [
    aContainerUsage({ name: 'app', rootfsBytes: 10, logsBytes: 30 }),
    aContainerUsage({ name: 'proxy', rootfsBytes: 5, logsBytes: 5 }),
    aContainerUsage({ name: 'new', rootfsBytes: undefined, logsBytes: undefined }),
  ],
  volumes: [
    aVolumeUsage({ name: 'data', usedBytes: 60 }),
    aVolumeUsage({ name: 'shm', medium: 'Memory', usedBytes: 900 }),
  ],
});

it.each([
  ['container_limit', 'app', { component: 'logs', name: 'app', usedBytes: 30 }],
  ['container_limit', 'proxy', undefined],
  ['container_limit', 'new', undefined],
  ['pod_limit', '', { component: 'emptydir', name: 'data', usedBytes: 60 }],
  ['emptydir_limit', '', undefined],
  ['node_bytes', '', undefined],
] as const)('of an eviction for %s of "%s" the main part is %j', (cause, container, part) => {
  expect(mainPart({ cause, container }, usage)).toEqual(part);
});
