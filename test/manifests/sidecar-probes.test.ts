// @module-tag sockets

import { expect, it } from 'vitest';

import { at, readObjects } from '../support/manifests/documents.js';
import { exporterOf } from '../support/manifests/policies.js';
import { runProbe } from '../support/manifests/probe-commands.js';

const exporter = exporterOf(readObjects('overlays/sidecar/sidecar.yaml'));

it.each([
  ['startupProbe', '/livez'],
  ['livenessProbe', '/livez'],
  ['readinessProbe', '/readyz'],
])('the %s of the sidecar passes and fails with what the exporter says of %s', async (probe, path) => {
  const command = at(exporter, probe, 'exec', 'command');
  expect(await runProbe(command, 200)).toEqual({ code: 0, paths: [path] });
  expect(await runProbe(command, 503)).toEqual({ code: 1, paths: [path] });
  expect(await runProbe(command, undefined)).toEqual({ code: 1, paths: [] });
});
