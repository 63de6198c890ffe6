import { expect, it } from 'vitest';

import { minorVersion } from '../../src/facts/node/kubelet-version.js';

it.each([
  ['v1.37.0', 37],
  ['v1.37.1-gke.1001000', 37],
  ['v1.33.5-eks-1a2b3c', 33],
  ['v1.36.3+k3s1', 36],
  ['1.30', 30],
  ['v1.37.0-rc.1', 36],
  ['v1.37.0-alpha.2', 36],
  ['v2.0.0', Infinity],
  ['', undefined],
  [undefined, undefined],
])('a kubelet of version %s has the minor version %s', (version, minor) => {
  expect(minorVersion(version)).toBe(minor);
});
