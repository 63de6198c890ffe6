import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { type DiskListingOptions, listDisk } from '../../src/agent/owners-listing.js';
import { layerMounts } from '../../src/node/mount-info.js';
import {
  diskOwners,
  type DiskPlace,
  type DiskPlaceKind,
  type ListedPlaces,
  type PlaceSize,
  snapshotKinds,
} from '../../src/node/owners-classify.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';
import { ManualClock } from '../support/manual-clock.js';
import { temporaryFolder } from '../support/programs.js';

type DiskContext = Parameters<typeof diskOwners>[2];
type DiskUsage = Pick<DiskContext, 'imagesBytes' | 'unattributedBytes'>;

const unknownUsage: DiskUsage = { imagesBytes: undefined, unattributedBytes: undefined };
const measuredMs = 5_000;
const contextOf = (usage: DiskUsage): DiskContext => ({ ...usage, hostRoot: '/', monotonicMs: measuredMs });
/** Owners and bytes alone. */
const rowsOf = (listing: ListedPlaces, sizes: ReadonlyMap<string, PlaceSize>, usage: DiskUsage) =>
  diskOwners({ ...listing, imagesBytes: usage.imagesBytes }, sizes, contextOf(usage)).owners.map(
    ({ owner, usedBytes }) => ({ owner, usedBytes }),
  );
const hourMs = 3_600_000;

/** In memory, and so on a filesystem of its own. */
const hasSharedMemory = existsSync('/dev/shm') && statSync('/dev/shm').dev !== statSync(tmpdir()).dev;

interface RecordedStore {
  readonly directories: readonly { readonly directory: string; readonly bytes: string; readonly overlay: string }[];
  readonly snapshots: readonly {
    readonly key: string;
    readonly parent: string;
    readonly kind: string;
    readonly bytes: number;
    readonly directory: string | null;
  }[];
  readonly containers: readonly { readonly id: string; readonly image: string }[];
  readonly du: { readonly snapshots: number; readonly content: number; readonly root: number };
}

const store = hasCaptures
  ? (JSON.parse(readRecording('live/containerd_2_4_images_store.json')) as RecordedStore)
  : undefined;
const emptyStore: RecordedStore = {
  directories: [],
  snapshots: [],
  containers: [],
  du: { snapshots: 0, content: 0, root: 0 },
};
const containerd = '/var/lib/containerd';
const containerFolder = `${containerd}/io.containerd.grpc.v1.cri/containers`;
const snapshots = `${containerd}/io.containerd.snapshotter.v1.overlayfs/snapshots`;

function listingOptions(hostRoot: string, changed: Partial<DiskListingOptions> = {}): DiskListingOptions {
  return {
    clock: new ManualClock(),
    hostRoot,
    readMounts: () => Promise.resolve([]),
    knownPodUids: new Set(),
    measuredPodUids: new Set(),
    ...changed,
  };
}

async function folders(root: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) await mkdir(path.join(root, name), { recursive: true });
}

const baseFolders = [
  `${containerd}/io.containerd.content.v1.content/blobs`,
  `${containerd}/io.containerd.grpc.v1.cri/containers`,
  snapshots,
  '/var/lib/kubelet/pods',
  '/var/log/pods',
];

const listed = (hostRoot: string, places: readonly DiskPlace[]) =>
  places.map(({ kind, path: place }) => `${kind} ${place.slice(hostRoot.length)}`).sort();

const sized = (bytes: Readonly<Record<string, number>>): ReadonlyMap<string, PlaceSize> =>
  new Map(Object.entries(bytes).map(([path, usedBytes]) => [path, { usedBytes, monotonicMs: measuredMs }]));

describe.skipIf(store === undefined)(`the disk of a recorded node; ${capturesNeeded}`, () => {
  it('has its bytes in the groups that containerd itself names', async () => {
    const { directories, snapshots: known, containers, du } = store ?? emptyStore;
    await using host = await temporaryFolder();
    await writeSnapshots(host.path, directories);
    const layers = layerMounts(readRecording('live/containerd_2_4_images_mountinfo.txt'));
    const runningContainerIds = new Set(containers.filter(({ image }) => !image.includes('pause')).map(({ id }) => id));
    const readMounts = () => Promise.resolve(layers);
    await folders(host.path, ...[...runningContainerIds].map((id) => `${containerFolder}/${id}`));
    const listing = await listDisk(listingOptions(host.path, { readMounts }));
    expect(listing.problems).toEqual([]);

    const sizes = sized({
      ...Object.fromEntries(
        directories.map(({ directory, bytes }) => [`${host.path}${snapshots}/${directory}/fs`, Number(bytes)]),
      ),
      [`${host.path}${containerd}/io.containerd.content.v1.content/blobs`]: du.content,
    });
    const mounted = new Set(layers.map(({ containerId }) => containerId));
    const sumOf = (items: readonly { readonly bytes: number }[]) => items.reduce((sum, { bytes }) => sum + bytes, 0);
    const active = known.filter(({ kind }) => kind === 'Active');
    const running = active.filter(({ key }) => runningContainerIds.has(key) && mounted.has(key));
    // What the kubelet has for images: all snapshots without those of running containers.
    const imagesBytes = sumOf(known) - sumOf(running);
    const unattributedBytes = 300_000_000;
    const owners = rowsOf(listing, sizes, { imagesBytes, unattributedBytes });
    const bytesOf = (wanted: DiskPlaceKind) =>
      listing.places
        .filter(({ kind }) => kind === wanted)
        .reduce((sum, { path }) => sum + (sizes.get(path)?.usedBytes ?? NaN), 0);
    expect(snapshotKinds.map(bytesOf)).toEqual([
      sumOf(known.filter(({ kind }) => kind === 'Committed')),
      0,
      sumOf(active.filter(({ key }) => !mounted.has(key))),
      sumOf(active.filter(({ key }) => !runningContainerIds.has(key))),
    ]);
    expect(owners).toEqual([
      { owner: 'image_copies', usedBytes: 203_845_632 },
      { owner: 'orphaned_pods', usedBytes: 0 },
      { owner: 'logs', usedBytes: 0 },
      { owner: 'runtime_volumes', usedBytes: 0 },
      { owner: 'orphaned_snapshots', usedBytes: 0 },
      { owner: 'other', usedBytes: unattributedBytes - 203_845_632 },
    ]);
    expect(diskOwners(listing, sizes, contextOf(unknownUsage)).unusedLayersBytes).toBe(0);
  });

  const images = [...new Set(store?.containers.map(({ image }) => image))].filter((image) => !image.includes('pause'));

  it.each(images)(
    'without the containers of %s, what no mount names is what containerd would delete',
    async (image) => {
      const { directories, snapshots: known, containers } = store ?? emptyStore;
      const gone = new Set(containers.filter((of) => of.image === image).map(({ id }) => id));
      const goneDirectories = new Set(known.flatMap(({ key, directory }) => (gone.has(key) ? [directory] : [])));
      const kept = directories.filter(({ directory }) => !goneDirectories.has(directory));
      await using host = await temporaryFolder();
      await writeSnapshots(host.path, kept);
      const mounted = layerMounts(readRecording('live/containerd_2_4_images_mountinfo.txt'));
      const layers = mounted.filter(({ containerId = '' }) => !gone.has(containerId));
      const readMounts = () => Promise.resolve(layers);
      const listing = await listDisk(listingOptions(host.path, { readMounts }));
      const sizes = sized(
        Object.fromEntries(
          kept.map(({ directory, bytes }) => [`${host.path}${snapshots}/${directory}/fs`, Number(bytes)]),
        ),
      );
      const deletedBytes = bytesWithoutUse(known.filter(({ key }) => !gone.has(key)));
      expect(deletedBytes).toBeGreaterThan(0);
      expect(diskOwners(listing, sizes, contextOf(unknownUsage)).unusedLayersBytes).toBe(deletedBytes);
    },
  );
});

/** Of the layers that are below no container, by containerd's own records. */
function bytesWithoutUse(known: RecordedStore['snapshots']): number {
  const parents = new Map(known.map(({ key, parent }) => [key, parent]));
  const needed = new Set<string | undefined>();
  for (const { key, kind } of known) {
    if (kind !== 'Active') continue;
    for (let at = parents.get(key); at !== undefined; at = parents.get(at)) needed.add(at);
  }
  return known
    .filter(({ key, kind }) => kind === 'Committed' && !needed.has(key))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

async function writeSnapshots(host: string, directories: RecordedStore['directories']): Promise<void> {
  await folders(host, ...baseFolders);
  for (const { directory, overlay } of directories) {
    const work = overlay === 'mounted' ? 'work/work' : 'work';
    await folders(host, `${snapshots}/${directory}/fs`, `${snapshots}/${directory}/${work}`);
  }
}

describe('the listing of a disk', () => {
  it('has layers by their mounts and by what the kernel left in them', async () => {
    await using host = await temporaryFolder();
    const [main, pause] = ['a', 'b'].map((digit) => digit.repeat(64));
    await folders(
      host.path,
      ...baseFolders,
      ...['1', '2', '3', '4', '5'].flatMap((id) => [`${snapshots}/${id}/fs`, `${snapshots}/${id}/work`]),
    );
    await folders(host.path, `${snapshots}/5/work/work`);
    const layers = [
      { containerId: main, upperDirectory: `${snapshots}/3/fs`, lowerDirectories: [`${snapshots}/1/fs`] },
      { containerId: pause, upperDirectory: `${snapshots}/4/fs`, lowerDirectories: [`${snapshots}/1/fs`] },
    ];
    const readMounts = () => Promise.resolve(layers);
    await folders(host.path, `${containerFolder}/${main ?? ''}`);
    const { places } = await listDisk(listingOptions(host.path, { readMounts }));
    expect(listed(host.path, places)).toEqual([
      `ended_containers ${snapshots}/5/fs`,
      `image_copies ${containerd}/io.containerd.content.v1.content/blobs`,
      `layers_in_use ${snapshots}/1/fs`,
      `sandboxes ${snapshots}/4/fs`,
      `unused_layers ${snapshots}/2/fs`,
    ]);
  });

  it("finds containerd's folder by its mounts", async () => {
    await using host = await temporaryFolder();
    const root = '/var/lib/rancher/k3s/agent/containerd';
    await folders(host.path, `${root}/io.containerd.content.v1.content/ingest`);
    const upperDirectory = `${root}/io.containerd.snapshotter.v1.overlayfs/snapshots/9/fs`;
    const layers = [{ containerId: undefined, upperDirectory, lowerDirectories: [] }];
    const readMounts = () => Promise.resolve(layers);
    const { places } = await listDisk(listingOptions(host.path, { readMounts }));
    expect(listed(host.path, places)).toEqual([`image_copies ${root}/io.containerd.content.v1.content/ingest`]);
  });

  it('has pods that the API server does not know, unless they are new, and logs of pods without a summary', async () => {
    await using host = await temporaryFolder();
    const clock = new ManualClock();
    await folders(
      host.path,
      ...baseFolders,
      ...['known', 'orphan', 'new'].map((uid) => `/var/lib/kubelet/pods/${uid}`),
    );
    for (const uid of ['known', 'orphan', 'new']) {
      const atMs = clock.nowMs() - (uid === 'new' ? 60_000 : hourMs);
      await utimes(path.join(host.path, '/var/lib/kubelet/pods', uid), atMs / 1000, atMs / 1000);
    }
    await folders(host.path, '/var/log/pods/shop_cart_1_known', '/var/log/pods/shop_old_gone', '/var/log/journal');
    await writeFile(path.join(host.path, '/var/log/syslog'), 'x');
    const knownPodUids = new Set(['known']);
    const { places } = await listDisk(
      listingOptions(host.path, { clock, knownPodUids, measuredPodUids: knownPodUids }),
    );
    expect(listed(host.path, places).filter((place) => !place.startsWith('image'))).toEqual([
      'logs /var/log/journal',
      'logs /var/log/pods/shop_old_gone',
      'logs /var/log/syslog',
      'orphaned_pods /var/lib/kubelet/pods/orphan',
    ]);
  });

  it('has no orphaned pods and no logs of pods while the pods are not known', async () => {
    await using host = await temporaryFolder();
    await folders(host.path, '/var/lib/kubelet/pods/a', '/var/log/pods/shop_cart_a');
    const { places, unlisted } = await listDisk(
      listingOptions(host.path, {
        knownPodUids: undefined,
        measuredPodUids: undefined,
        clock: { nowMs: () => Infinity },
      }),
    );
    expect(places).toEqual([]);
    expect([...unlisted]).toEqual(expect.arrayContaining(['orphaned_pods', 'logs']));
  });

  it('has the volumes of images, of containers that have some', async () => {
    await using host = await temporaryFolder();
    const containers = `${containerd}/io.containerd.grpc.v1.cri/containers`;
    await folders(host.path, `${containers}/a/volumes/1`, `${containers}/b`);
    const { places } = await listDisk(listingOptions(host.path));
    expect(listed(host.path, places)).toEqual([`runtime_volumes ${containers}/a/volumes`]);
  });

  it('has one short problem for all directories that are missing, the fix first, and lists the others', async () => {
    await using host = await temporaryFolder();
    await folders(host.path, '/var/log/pods', `${containerd}/io.containerd.content.v1.content/blobs`);
    await writeFile(path.join(host.path, '/var/log/syslog'), 'x');
    const { places, problems, unlisted } = await listDisk(listingOptions(host.path));
    expect(listed(host.path, places)).toEqual([
      `image_copies ${containerd}/io.containerd.content.v1.content/blobs`,
      'logs /var/log/syslog',
    ]);
    expect(unlisted).toEqual(new Set([...snapshotKinds, 'runtime_volumes', 'orphaned_pods', 'logs']));
    const missing = [containerFolder, snapshots, '/var/lib/kubelet/pods'].map((name) => `${host.path}${name}`);
    expect(problems).toEqual([
      `missing; mount what the host has of it, as the overlay node-local-agent and the chart with agent.enabled do: ${missing.join(', ')}`,
    ]);
  });

  it.skipIf(!hasSharedMemory)('has no logs of a filesystem that is not of the kubelet; needs /dev/shm', async () => {
    await using host = await temporaryFolder();
    await folders(host.path, ...baseFolders.filter((folder) => !folder.startsWith('/var/log')));
    await using other = await temporaryFolder('/dev/shm');
    await folders(other.path, 'pods/shop_old_gone', 'journal');
    await symlink(other.path, path.join(host.path, '/var/log'));
    const { places, problems } = await listDisk(listingOptions(host.path));
    expect(problems).toEqual([]);
    expect(places.filter(({ kind }) => kind === 'logs')).toEqual([]);
  });

  it.each([
    ['is not there', Object.assign(new Error('no such file'), { code: 'ENOENT' }), /^missing; mount what .*mountinfo$/],
    ['is too long', new Error('longer than 8 bytes'), /^cannot be read \(longer than 8 bytes\): \S+mountinfo$/],
  ])('has all but layers when the mount table %s, which is the only problem', async (_case, error, problem) => {
    await using host = await temporaryFolder();
    await folders(host.path, ...baseFolders, `${snapshots}/1/fs`, `${containerFolder}/a/volumes`, '/var/log/journal');
    const readMounts = () => Promise.reject(error);
    const { places, problems, unlisted } = await listDisk(listingOptions(host.path, { readMounts }));
    expect(listed(host.path, places)).toEqual([
      `image_copies ${containerd}/io.containerd.content.v1.content/blobs`,
      'logs /var/log/journal',
      `runtime_volumes ${containerFolder}/a/volumes`,
    ]);
    expect(unlisted).toEqual(new Set(snapshotKinds));
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it('ends at a number of names, and names the first of the paths of a problem', async () => {
    await using host = await temporaryFolder();
    await folders(host.path, ...baseFolders);
    for (let index = 0; index <= 20_000; index += 1) writeFileSync(path.join(host.path, `/var/log/${index}`), '');
    const containers = `${containerd}/io.containerd.grpc.v1.cri/containers`;
    for (let index = 0; index < 30; index += 1) await writeFile(path.join(host.path, containers, `file-${index}`), '');
    const { problems, unlisted } = await listDisk(listingOptions(host.path));
    expect(problems).toEqual([
      expect.stringMatching(/^cannot be read \(ENOTDIR\): \S+, \S+, \S+ and 27 more$/),
      `cannot be read (more than 20000 entries): ${host.path}/var/log`,
    ]);
    expect(unlisted).toEqual(new Set(['runtime_volumes', 'logs']));
  });
});

describe('the owners of a disk', () => {
  const none: ReadonlySet<DiskPlaceKind> = new Set();
  const places: readonly DiskPlace[] = [
    { kind: 'image_copies', path: '/blobs' },
    { kind: 'unused_layers', path: '/1' },
    { kind: 'ended_containers', path: '/2' },
    { kind: 'layers_in_use', path: '/3' },
    { kind: 'logs', path: '/log' },
  ];
  const listing = { places, unlisted: none };
  const sizes = sized({ '/blobs': 200, '/1': 30, '/2': 40, '/3': 500, '/log': 60 });
  const row = (owner: string, usedBytes: number) => ({ owner, usedBytes });

  it.each(['/host', '/host/', '/', '/x/../host'])(
    'have their largest places by their paths on the host: %s',
    (hostRoot) => {
      const logs = [1, 2, 3, 4].map((index): DiskPlace => ({
        kind: 'logs',
        path: path.join(hostRoot, `var/log/${index}`),
      }));
      const found = sized(Object.fromEntries(logs.map(({ path: place }, index) => [place, 10 * index])));
      const context = { ...contextOf(unknownUsage), hostRoot };
      const { owners } = diskOwners({ places: logs, unlisted: none }, found, context);
      expect(owners.find(({ owner }) => owner === 'logs')?.places).toEqual({
        count: 4,
        largest: [
          { path: '/var/log/4', usedBytes: 30 },
          { path: '/var/log/3', usedBytes: 20 },
          { path: '/var/log/2', usedBytes: 10 },
        ],
      });
    },
  );

  it('are as old as the oldest measurement, with the layers that no mount names', () => {
    const older = new Map([...sizes, ['/2', { usedBytes: 40, monotonicMs: measuredMs - 2_000 }]]);
    expect(diskOwners(listing, older, contextOf(unknownUsage))).toMatchObject({ ageMs: 2_000, unusedLayersBytes: 30 });
    const unmeasured = new Map([...sizes].filter(([path]) => path !== '/1'));
    expect(diskOwners(listing, unmeasured, contextOf(unknownUsage)).unusedLayersBytes).toBeUndefined();
    const unlisted = new Set<DiskPlaceKind>(['unused_layers']);
    expect(diskOwners({ places, unlisted }, sizes, contextOf(unknownUsage)).unusedLayersBytes).toBeUndefined();
    expect(diskOwners(listing, new Map(), contextOf(unknownUsage)).ageMs).toBeUndefined();
  });

  it('add up to the unattributed bytes of the kubelet', () => {
    const usage = { imagesBytes: 570, unattributedBytes: 1_000 };
    const owners = rowsOf(listing, sizes, usage);
    expect(owners).toContainEqual(row('other', 740));
    expect(owners.reduce((sum, { usedBytes }) => sum + usedBytes, 0)).toBe(1_000);
  });

  it('have what the disk has beyond the snapshots of the kubelet as orphaned', () => {
    const owners = rowsOf(listing, sizes, {
      imagesBytes: 545,
      unattributedBytes: 1_000,
    });
    expect(owners).toContainEqual(row('orphaned_snapshots', 25));
    expect(owners).toContainEqual(row('other', 715));
    const more = rowsOf(listing, sizes, {
      imagesBytes: 600,
      unattributedBytes: 1_000,
    });
    expect(more).toContainEqual(row('orphaned_snapshots', 0));
  });

  const gibibyte = 2 ** 30;

  it.each([
    ['garbage collection of images', 6 * gibibyte, 3 * gibibyte],
    ['a pull', 6 * gibibyte, 9 * gibibyte],
    ['the first value of the kubelet', undefined, 6 * gibibyte],
  ])('have nothing of snapshots from %s until they are listed again', (_case, imagesBytes, nowBytes) => {
    const usage = { imagesBytes: nowBytes, unattributedBytes: 5 * gibibyte };
    const found = sized({ '/blobs': 200, '/1': 3 * gibibyte, '/2': 0, '/3': 3 * gibibyte, '/log': 60 });
    const { owners, unusedLayersBytes } = diskOwners({ ...listing, imagesBytes }, found, contextOf(usage));
    expect(owners.map(({ owner }) => owner)).toEqual(['image_copies', 'orphaned_pods', 'logs', 'runtime_volumes']);
    expect(unusedLayersBytes).toBeUndefined();
  });

  it('are compared with what the kubelet counted for images when they were listed, while that has changed little', () => {
    const usage = { imagesBytes: 560, unattributedBytes: 1_000 };
    const { owners, unusedLayersBytes } = diskOwners({ ...listing, imagesBytes: 545 }, sizes, contextOf(usage));
    expect(owners).toContainEqual(row('orphaned_snapshots', 25));
    expect(unusedLayersBytes).toBe(30);
  });

  it('have a rest of 0 when what du has measured is more than the kubelet counts now', () => {
    const usage = { imagesBytes: 570, unattributedBytes: 100 };
    expect(rowsOf(listing, sizes, usage)).toContainEqual(row('other', 0));
  });

  it.each<[string, Partial<DiskUsage>, readonly string[]]>([
    ['of the disk', { unattributedBytes: 1_000 }, []],
    ['of images', { imagesBytes: 570 }, ['orphaned_snapshots']],
  ])('without a value of the kubelet %s have no rest', (_case, usage, more) => {
    const owners = rowsOf(listing, sizes, { ...unknownUsage, ...usage });
    expect(owners.map(({ owner }) => owner)).toEqual([
      'image_copies',
      'orphaned_pods',
      'logs',
      'runtime_volumes',
      ...more,
    ]);
  });

  it('that are not measured have no bytes, and there is no rest', () => {
    const usage = { imagesBytes: 570, unattributedBytes: 1_000 };
    const ownersWith = (changed: Readonly<Record<string, number | undefined>>) =>
      rowsOf(
        listing,
        new Map([
          ...sizes,
          ...Object.entries(changed).map(
            ([path, usedBytes]) => [path, { usedBytes, monotonicMs: measuredMs }] as const,
          ),
        ]),
        usage,
      );
    expect(ownersWith({ '/log': undefined }).map(({ owner }) => owner)).toEqual([
      'image_copies',
      'orphaned_pods',
      'runtime_volumes',
      'orphaned_snapshots',
    ]);
    expect(ownersWith({ '/1': undefined }).map(({ owner }) => owner)).toEqual([
      'image_copies',
      'orphaned_pods',
      'logs',
      'runtime_volumes',
    ]);
  });

  it('leave out those of which not all places could be found', () => {
    const usage = { imagesBytes: 570, unattributedBytes: 1_000 };
    const unlisted = new Set<DiskPlaceKind>(['image_copies', ...snapshotKinds]);
    expect(rowsOf({ places: [{ kind: 'logs', path: '/log' }], unlisted }, sizes, usage)).toEqual([
      row('orphaned_pods', 0),
      row('logs', 60),
      row('runtime_volumes', 0),
    ]);
  });
});
