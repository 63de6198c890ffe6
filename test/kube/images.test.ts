import { describe, expect, it } from 'vitest';

import { createDedupe } from '../../src/cluster/kube/dedupe.js';
import { projectNodeImages, projectPodImages } from '../../src/cluster/kube/images.js';

const asIs = { intern: (text: string) => text, dedupe: <T>(value: T) => value };

describe('projectNodeImages', () => {
  const images = (list: unknown) => projectNodeImages(list, asIs.dedupe);

  it('the images of a node have names, digests and sizes, also those without names', () => {
    const list = [
      { names: ['app@sha256:1', 'app:1'], sizeBytes: 7 },
      { names: ['tool@sha256:2'], sizeBytes: 5 },
      { names: null, sizeBytes: 3 },
    ];
    expect(images(list)).toEqual([
      { name: 'app:1', keys: ['sha256:1', 'app:1'], sizeBytes: 7 },
      { name: 'tool@sha256:2', keys: ['sha256:2'], sizeBytes: 5 },
      { name: undefined, keys: [], sizeBytes: 3 },
    ]);
  });

  it.each([
    undefined,
    'many',
    [7],
    [{ names: ['app:1'] }],
    [{ names: ['app:1'], sizeBytes: '7' }],
    [{ sizeBytes: -1 }],
  ])('images %j are left out', (list) => {
    expect(images(list)).toEqual([]);
  });

  it('a name that no image can have is left out', () => {
    expect(images([{ names: ['app:1', 7, '', 'a'.repeat(513)], sizeBytes: 7 }])).toEqual([
      { name: 'app:1', keys: ['app:1'], sizeBytes: 7 },
    ]);
  });

  it('the images that nodes have in common are the same objects', () => {
    const dedupe = createDedupe();
    const read = () => projectNodeImages([{ names: ['app:1'], sizeBytes: 7 }], dedupe)[0];
    expect(read()).toBe(read());
  });
});

describe('projectPodImages', () => {
  const status = (image: string, imageID: string) => ({ name: 'main', image, imageID });

  it('an image volume has the digest that the status of a pod mounts, too', () => {
    const spec = { volumes: [{ image: { reference: 'models:3' } }] };
    const volumeMounts = [{ name: 'v' }, { volumeStatus: { image: { imageRef: 'a/models@sha256:3' } } }];
    const statuses = [{ ...status('app:1', ''), volumeMounts }];
    expect(projectPodImages(spec, statuses, asIs)).toEqual(['app:1', 'models:3', 'sha256:3']);
  });

  it.each([
    [
      'app',
      ['app:latest', 'docker.io/library/app', 'index.docker.io/library/app:latest', 'library/app', 'docker.io/app'],
    ],
    ['acme/app:1', ['docker.io/acme/app:1', 'index.docker.io/acme/app:1']],
    ['localhost:5000/app', ['localhost:5000/app:latest']],
    ['a.io/library/app', ['a.io/library/app:latest']],
    ['library/acme/app', ['docker.io/library/acme/app']],
  ])('%s and %j are one image, of containers and volumes alike', (name, others) => {
    for (const [first, second] of others.flatMap((other) => [[name, other] as const, [other, name] as const])) {
      const { keys } = projectNodeImages([{ names: [first], sizeBytes: 1 }], asIs.dedupe)[0] ?? {};
      expect(projectPodImages({}, [status(second, '')], asIs)).toEqual(keys);
      expect(projectPodImages({ volumes: [{ image: { reference: second } }] }, [], asIs)).toEqual(keys);
    }
  });

  it.each([
    ['app', 'app:1'],
    ['a.io/app', 'app'],
    ['a.io/library/app', 'a.io/app'],
    ['docker.io/a/library/app', 'docker.io/a/app'],
    ['library/acme/app', 'acme/app'],
    ['docker.io/library/acme/app', 'docker.io/acme/app'],
  ])('%s and %s are two images', (first, second) => {
    const keysOf = (image: string) => projectPodImages({}, [status(image, '')], asIs);
    expect(keysOf(first)).not.toEqual(keysOf(second));
  });

  it('of the author of a pod, a hundred images of plausible names are kept', () => {
    const statuses = [status('a'.repeat(513), ''), ...Array.from({ length: 101 }, (_, i) => status(`i:${i}`, ''))];
    const images = projectPodImages({}, statuses, asIs);
    expect([images.length, images[0], images.at(-1)]).toEqual([100, 'i:0', 'i:99']);
  });
});
