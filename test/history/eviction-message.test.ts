import { describe, expect, it } from 'vitest';

import { projectPod } from '../../src/cluster/kube/projection.js';
import { storageEviction } from '../../src/facts/history/eviction-message.js';
import { messageCases } from '../support/eviction-cases.js';

/** As the exporter sees it: phase and reason decide in the projection, the message here. */
function causeOf(status: object): string | undefined {
  const metadata = { name: 'cart-0', namespace: 'shop', uid: 'u1', resourceVersion: '7' };
  const { eviction } = projectPod({ metadata, status }, (text) => text);
  return eviction && storageEviction(eviction.message)?.cause;
}

describe('storageEviction', () => {
  const { evictions, notForStorage } = messageCases();

  it.each(evictions.flatMap(({ cause, examples }) => examples.map((message) => ({ cause, message }))))(
    'finds $cause in "$message"',
    ({ cause, message }) => {
      expect(causeOf({ phase: 'Failed', reason: 'Evicted', message })).toBe(cause);
      expect(causeOf({ phase: 'Failed', reason: 'Evicted', message: message.trimEnd() })).toBe(cause);
      expect(causeOf({ phase: 'Running', message })).toBeUndefined();
    },
  );

  it.each(
    notForStorage.flatMap(({ what, reason, examples }) => examples.map((message) => ({ what, reason, message }))),
  )('does not count $what as an eviction for storage ("$message")', ({ reason, message }) => {
    expect(causeOf({ phase: 'Failed', reason, message })).toBeUndefined();
  });

  it.each([
    ['Usage of EmptyDir volume "cache" exceeds the limit "1Gi". ', { volume: 'cache', limitBytes: 2 ** 30 }],
    ['Pod ephemeral local storage usage exceeds the total limit of containers 0. ', { limitBytes: 0 }],
    ['Pod ephemeral local storage usage exceeds the total limit of containers 1500m. ', { limitBytes: 2 }],
    ['Container app exceeded its local ephemeral storage limit "12e6". ', { container: 'app', limitBytes: 12e6 }],
    [
      'The node was low on resource: inodes. Threshold quantity: 5, available: 4. ',
      { shortage: { threshold: 5, available: 4 } },
    ],
    [
      'The node was low on resource: ephemeral-storage. Threshold quantity: 304858730, available: 246776Ki. Container c was using 1Ki, request is 0, has larger consumption of ephemeral-storage. ',
      { shortage: { threshold: 304_858_730, available: 246_776 * 1024 } },
    ],
    ['The node was low on resource: ephemeral-storage. Container c was using 1Ki. ', { shortage: undefined }],
  ])('reads what the message of an eviction names: %s', (message, expected) => {
    const nothing = { container: '', volume: '', limitBytes: undefined };
    expect(storageEviction(message)).toMatchObject({ ...nothing, ...expected });
  });

  it.each([
    ['The node was low on resource: nodefs. ', 'other'],
    ['The image filesystem of the node is full', 'other'],
    ['The node was low on resource: memory. Container storage was using 1Gi, request is 0. ', undefined],
    ['Pod was rejected: The node had condition: [MemoryPressure]. ', undefined],
    ['Container inodes exceeded its memory limit "1Gi". ', undefined],
    ['', undefined],
  ])('takes words of no known kubelet for storage only when they name it: "%s"', (message, cause) => {
    expect(storageEviction(message)?.cause).toBe(cause);
  });
});
