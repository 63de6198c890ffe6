/** Specs of pods as an API server accepts them from all who may create pods, made to cost a reader as much as they can. */

export interface PodParts {
  readonly volumes?: readonly object[];
  readonly containers?: readonly object[];
  readonly initContainers?: readonly object[];
}

export function indexed<T>(count: number, of: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => of(index));
}

const image = { name: 'app', image: 'i' };

/** 60,000 are 2.9 MB as JSON, and 1.5 MB as the API server stores them. */
export function unmountedEmptyDirs(count: number, prefix = 'v'): PodParts {
  return {
    volumes: indexed(count, (index) => ({ name: `${prefix}${index}`, emptyDir: { sizeLimit: '1' } })),
    containers: [image],
  };
}

/** One container mounts each of the volumes, several under several paths. */
export function mountedEmptyDirs(volumeCount: number, mountCount: number, prefix = 'v'): PodParts {
  return {
    volumes: indexed(volumeCount, (index) => ({ name: `${prefix}${index}`, emptyDir: { sizeLimit: '1Gi' } })),
    containers: [
      {
        ...image,
        volumeMounts: indexed(mountCount, (index) => ({
          name: `${prefix}${index % volumeCount}`,
          mountPath: `/${index}`,
        })),
      },
    ],
  };
}

export function manyContainers(count: number, prefix = 'c'): PodParts {
  const resources = { limits: { 'ephemeral-storage': '1Mi' }, requests: { 'ephemeral-storage': '1Ki' } };
  return { containers: indexed(count, (index) => ({ name: `${prefix}${index}`, image: 'i', resources })) };
}
