import { expect, it } from 'vitest';

import { exporterDocument } from '../../src/people/answers/exporter.js';
import { writeText } from '../../src/people/pens/text-pen.js';
import type { Status } from '../../src/people/query/status.js';
import { aCluster, aHealth, aStatus, aSummary } from '../support/status-builders.js';

const textOf = (status: Partial<Status> = {}, isWhole = false): string =>
  writeText(exporterDocument(aStatus(status)), { width: 100, isWhole });

it('a well exporter has what is there, and no count of what is not', () => {
  const text = textOf();
  for (const shown of ['Ready:', 'Nodes with data:        1 of 1', 'RESOURCE  STATE', 'Kubelets:  success 2\n'])
    expect(text).toContain(shown);
  expect(text).not.toMatch(/Stale|Absent|Skipped|dropped|certificates|not measured|ttl/);
});

it.each<[Partial<Status>, RegExp]>([
  [{ isReady: false }, /^Ready: +no$/m],
  [{ readinessChecks: [{ name: 'pods', isOk: false, message: 'forbidden' }] }, /^pods: failing, forbidden$/m],
  [
    {
      readinessChecks: [
        { name: 'a', isOk: false, isOptional: true },
        { name: 'b', isOk: true },
      ],
    },
    /^a: failing, optional\nb: ok$/m,
  ],
  [
    { cluster: aCluster({ summary: aSummary({ staleNodeCount: 2, absentNodeCount: 3 }) }) },
    /^Nodes with data: +3 of 6$/m,
  ],
  [{ cluster: aCluster({ summary: aSummary({ absentNodeCount: 3 }) }) }, /^Absent: +3$/m],
  [{ cluster: undefined }, /^Nodes and pods have not been listed\.$/m],
  [
    { health: aHealth({ kubeletRequests: { success: 2, http_status: 3, tls: 0 } }) },
    /^Kubelets: +success 2, http status 3$/m,
  ],
  [{ health: aHealth({ isKubeletTlsUnverified: true }) }, /^Kubelet certificates: +not verified$/m],
  [{ health: aHealth({ isLastReloadSuccessful: false }) }, /^Last reload: +failed: see the log$/m],
  [{ health: aHealth({ seriesCount: undefined, droppedSeriesCount: 5 }) }, /none yet\nSeries dropped: +5$/m],
])('the exporter shows %j', (status, expected) => {
  expect(textOf(status)).toMatch(expected);
});

it.each([
  [{ lastProgressAgeMs: undefined }, 'not listed'],
  [{ isConnected: false }, 'not connected'],
  [{ isPolled: true }, 'listed each minute'],
  [{}, '2 namespaces not listed', 2],
  [{}, 'connected'],
])('a watch %j is "%s"', (state, shown, unlistedCount = 0) => {
  const store = { resource: 'pods', objectCount: 7, isConnected: true, isPolled: false, lastProgressAgeMs: 5_000 };
  const missing = { resource: 'pods', namespace: 'a', message: 'x', forMs: 60_000 };
  const unlisted = Array.from({ length: unlistedCount }, () => missing);
  expect(textOf({ health: aHealth({ stores: [{ ...store, ...state }], unlisted }) })).toContain(`pods      ${shown} `);
});

it('the settings are shown line by line to those who ask for all', () => {
  expect(textOf({ configuration: 'a:\n  b: 1' }, true)).toContain('a:\n  b: 1\n');
});
