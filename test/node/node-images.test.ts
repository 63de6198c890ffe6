import { describe, expect, it } from 'vitest';

import type { NodeImage, Pod } from '../../src/cluster/kube/objects.js';
import type { ImageSettings } from '../../src/cluster/kubelet/kubelet-configuration.js';
import { filesystemOwners } from '../../src/facts/node/filesystem-owners.js';
import { nodeImages, type NodeImagesInput, unusedImages } from '../../src/facts/node/node-images.js';
import { NodeTrackers } from '../../src/facts/node/node-trackers.js';
import { aNode, aNodeSummary, aPod, aPodSummary } from '../support/builders.js';
import { sumOf } from '../support/figures.js';
import { readImageCase } from '../support/image-case.js';
import { aFreshLookup, podsOfNode, trackerOptions } from '../support/tracker-options.js';

const settings: ImageSettings = {
  highThresholdPercent: 85,
  lowThresholdPercent: 80,
  minAgeMs: 120_000,
  maxListedCount: 50,
};
const anImage = (sizeBytes: number, ...names: readonly string[]): NodeImage => ({
  name: names.at(-1),
  keys: names,
  sizeBytes,
});
const running = (...images: readonly string[]): Pod => aPod({ images, phase: 'Running' });

const imagesOf = (
  changes: Partial<NodeImagesInput> & { readonly images?: readonly NodeImage[]; readonly runtime?: string },
) => {
  const { images = [anImage(7, 'app:1')], runtime = 'containerd://2.1.4', ...input } = changes;
  const node = aNode({ images, containerRuntime: runtime });
  return nodeImages({ node, pods: [], imagefs: undefined, settings: undefined, ...input });
};

describe('images of a live node with containerd', () => {
  const { node, pods, summary, configuration, store } = readImageCase();
  const images = nodeImages({ node, pods, imagefs: summary.imagefs, settings: configuration.images });
  /** Two disks of one size: a single summary does not show it. */
  const layout = { hasDedicatedImagefs: true, hasSplitImagefs: false };
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

  it('what a live kubelet reports of images is all snapshots: images, ended containers and sandboxes', () => {
    const isImage = ({ kind }: (typeof store.snapshots)[number]): boolean => kind === 'Committed';
    expect(sum(store.snapshots.map(({ bytes }) => bytes))).toBe(summary.imagefs?.usedBytes);
    const layers = sumOf(summary.pods.flatMap((pod) => pod.containers.map(({ rootfs }) => rootfs?.usedBytes)));
    const owners = filesystemOwners({ summary, layout }).find((one) => one.filesystem === 'imagefs');
    const unpacked = sum(store.snapshots.filter(isImage).map(({ bytes }) => bytes));
    const others = sum(store.snapshots.filter((one) => !isImage(one)).map(({ bytes }) => bytes)) - layers;
    expect(owners?.imagesUsedBytes).toBe(unpacked + others);
    expect(others).toBeGreaterThan(38_000_000);
  });

  it('the compressed copies on the disk of a live node are most of what is neither, and no more than their bound', () => {
    const owners = filesystemOwners({ summary, layout }).find((one) => one.filesystem === 'imagefs');
    const blockBytes = 4096;
    const most = (images?.maxCopiesBytes ?? 0) + blockBytes * store.content.length;
    expect(images?.maxCopiesBytes).toBe(203_797_204);
    expect(store.du.content).toBeLessThanOrEqual(most);
    expect(store.du.content / (owners?.unattributedBytes ?? 0)).toBeCloseTo(0.92, 2);
  });
});

describe('images in use', () => {
  it.each<[string, NodeImage, readonly Pod[], boolean]>([
    ['that no pod has', anImage(7, 'app:1'), [running('app:2')], true],
    ['of the name', anImage(7, 'app:1'), [running('other:1', 'app:1')], false],
    ['of the digest', anImage(7, 'sha256:1', 'app:1'), [running('sha256:1')], false],
    ['whose tag has moved on to another one', anImage(7, 'sha256:2', 'app:1'), [running('sha256:1')], true],
    ['of a pod that has not started', anImage(7, 'app:1'), [aPod({ images: ['app:1'], phase: 'Pending' })], false],
    ['of a pod that has failed', anImage(7, 'app:1'), [aPod({ images: ['app:1'], phase: 'Failed' })], true],
    ['of a pod that has succeeded', anImage(7, 'app:1'), [aPod({ images: ['app:1'], phase: 'Succeeded' })], true],
    ['without names, which may be that of any container', anImage(7), [], false],
    ['with as many names as are listed', anImage(7, 'a:1', 'b:1', 'c:1', 'd:1', 'e:1'), [], false],
    ['with fewer names than are listed', anImage(7, 'a:1', 'b:1', 'c:1', 'd:1'), [], true],
  ])('an image %s is unused or not', (_case, image, pods, isUnused) => {
    expect(unusedImages([image], pods)).toEqual(isUnused ? [image] : []);
    expect(imagesOf({ images: [image, anImage(9, 'z:1')], pods })?.unusedBytes).toBe(isUnused ? 16 : 9);
  });

  const node = aNode({ images: [anImage(7, 'app:1')] });
  const pod = aPod({ name: 'web', uid: 'web', kubeletUid: 'web', nodeName: node.name, images: ['app:1'] });
  it.each([
    { pods: 'all pods are known', known: [pod], scope: {}, unusedBytes: 0 },
    { pods: 'a pod is unknown, for a moment or for good', known: [], scope: {}, unusedBytes: undefined },
    { pods: 'some namespaces are read', known: [pod], scope: { namespaces: ['shop'] }, unusedBytes: undefined },
    { pods: 'a selector leaves pods out', known: [pod], scope: { hasPodSelector: true }, unusedBytes: undefined },
  ])('unused images where $pods: $unusedBytes bytes', ({ known, scope, unusedBytes }) => {
    const options = { pods: podsOfNode(() => known), scope: { namespaces: [], hasPodSelector: false, ...scope } };
    const summary = aNodeSummary({ pods: [aPodSummary({ name: 'web', uid: 'web', usedBytes: 5 })] });
    const view = new NodeTrackers(trackerOptions(options)).of(node).view(node, aFreshLookup(summary));
    expect(view.state === 'absent' ? view.reason : view.snapshot.images?.unusedBytes).toBe(unusedBytes);
  });
});

describe('sizes of images', () => {
  it.each([
    ['containerd://2.1.4', 'compressed', 7],
    ['cri-o://1.34.0', 'unpacked', undefined],
    ['docker://28.0.1', undefined, undefined],
  ])('those of %s are %s, and bound the compressed copies where there are any', (runtime, sizes, maxCopiesBytes) => {
    expect(imagesOf({ runtime })).toMatchObject({ sizes, maxCopiesBytes, sizeBytes: 7 });
  });

  it('a node that has not reported its runtime, or no images, says nothing of their sizes', () => {
    const node = aNode({ containerRuntime: undefined, images: [anImage(7, 'app:1')] });
    const input = { pods: [], imagefs: undefined, settings: undefined };
    expect(nodeImages({ ...input, node })?.sizes).toBeUndefined();
    expect(nodeImages({ ...input, node: aNode() })).toBeUndefined();
  });

  it.each([
    { count: 49, maxListedCount: undefined, isCut: false },
    { count: 50, maxListedCount: undefined, isCut: true },
    { count: 50, maxListedCount: 100, isCut: false },
    { count: 50, maxListedCount: -1, isCut: false },
    { count: 3, maxListedCount: 3, isCut: true },
  ])(
    'a list of $count images where the kubelet lists $maxListedCount is cut: $isCut',
    ({ count, maxListedCount, isCut }) => {
      const images = Array.from({ length: count }, (_, index) => anImage(1, `app:${index}`));
      const known = maxListedCount === undefined ? undefined : { ...settings, maxListedCount };
      const maxCopiesBytes = isCut ? undefined : count;
      expect(imagesOf({ images, settings: known })).toMatchObject({ isCut, maxCopiesBytes, unusedBytes: count });
    },
  );
});

describe('garbage collection of images', () => {
  const capacityBytes = 100_000;
  const collectionOf = (availableBytes: number, changes: Partial<ImageSettings> = {}, unusedBytes = 7) =>
    imagesOf({
      images: [anImage(unusedBytes, 'app:1')],
      imagefs: { availableBytes, capacityBytes },
      settings: { ...settings, ...changes },
    })?.collection;

  it.each([
    { high: 85, low: 80 },
    { high: 99, low: 1 },
    { high: 50, low: 50 },
    { high: 0, low: 0 },
  ])('collection from $high % down to $low % starts and looks for as much as in the kubelet', ({ high, low }) => {
    for (let availableBytes = 0; availableBytes <= capacityBytes; availableBytes += 97) {
      const usagePercent = 100 - Math.floor((availableBytes * 100) / capacityBytes);
      const found = collectionOf(availableBytes, { highThresholdPercent: high, lowThresholdPercent: low });
      expect((found?.startsInBytes ?? NaN) < 0).toBe(usagePercent >= high);
      if (usagePercent < high) continue;
      expect(found?.wantedBytes).toBe(Math.max(0, (capacityBytes * (100 - low)) / 100 - availableBytes));
    }
  });

  it.each([
    { unusedBytes: 3_999, maxListedCount: 50, isEnough: false },
    { unusedBytes: 4_000, maxListedCount: 50, isEnough: true },
    { unusedBytes: 3_999, maxListedCount: 1, isEnough: undefined },
    { unusedBytes: 4_000, maxListedCount: 1, isEnough: true },
  ])('$unusedBytes bytes of unused images, of $maxListedCount listed, are enough: $isEnough', (of) => {
    expect(collectionOf(40_000, { maxListedCount: of.maxListedCount }, of.unusedBytes)?.isEnough).toBe(of.isEnough);
  });

  it.each<[string, Partial<NodeImagesInput>]>([
    ['configuration', { settings: undefined }],
    ['filesystem of images', { imagefs: undefined }],
    ['free space', { imagefs: { availableBytes: undefined, capacityBytes } }],
    ['size of the filesystem', { imagefs: { availableBytes: 1, capacityBytes: undefined } }],
    ['size of the filesystem but 0', { imagefs: { availableBytes: 1, capacityBytes: 0 } }],
  ])('nothing is said of collection without a known %s', (_case, input) => {
    const known = { imagefs: { availableBytes: 40_000, capacityBytes }, settings };
    expect(imagesOf({ ...known, ...input })?.collection).toBeUndefined();
  });

  it('whether it is enough is not known where pods are not read', () => {
    const imagefs = { availableBytes: 40_000, capacityBytes };
    expect(imagesOf({ pods: undefined, imagefs, settings })?.collection).toMatchObject({ isEnough: undefined });
  });
});
