/** Specs of pods as an API server accepts them from all who may create pods, made to cost a reader as much as they can. */

import type { Pod } from '../../src/cluster/kube/objects.js';
import { projectPod } from '../../src/cluster/kube/projection.js';

export interface PodParts {
  readonly volumes?: readonly object[];
  readonly containers?: readonly object[];
  readonly initContainers?: readonly object[];
}

/** The pod with these parts, as it is kept. */
export function keptPod(spec: PodParts, metadata: object = {}): Pod {
  const meta = { name: 'cart-0', namespace: 'shop', uid: 'u1', resourceVersion: '1', ...metadata };
  return projectPod({ metadata: meta, spec, status: { phase: 'Running' } }, (text) => text);
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

export interface NamedPod {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodParts;
}

/** As many names of the largest size as are kept of a pod: 253 characters for a pod, 63 for its parts, 317 for keys of labels. */
export function largestPod(index: number): NamedPod {
  const long = (prefix: string, length: number): string => `${prefix}-${index}-`.padEnd(length, 'x');
  const volumes = indexed(100, (at) => ({ name: long(`v${at}`, 63), emptyDir: { sizeLimit: '1Gi' } }));
  const resources = { limits: { 'ephemeral-storage': '1Gi' }, requests: { 'ephemeral-storage': '1Gi' } };
  const containers = indexed(100, (at) => ({
    name: long(`c${at}`, 63),
    image: 'i',
    resources,
    volumeMounts: volumes
      .slice(at % 92, (at % 92) + 9)
      .map(({ name }, place) => ({ name, mountPath: long(`/${place}`, 60) })),
  }));
  const domain = indexed(4, (part) => 'abcd'.charAt(part).padEnd(62, 'y')).join('.');
  const labels = Object.fromEntries(
    indexed(100, (at): [string, string] => [`${domain}/${long(`k${at}`, 63)}`, long(`l${at}`, 63)]),
  );
  return { name: long('p', 253), labels, spec: { volumes, containers } };
}
