// @module-tag sockets

import { expect, it } from 'vitest';

import { type EvictionSourceOptions, readEvictions } from '../../../src/commands/evictions/eviction-sources.js';
import { defaultExporter } from '../../../src/commands/evictions/exporter-address.js';
import { staticCredentials } from '../../../src/credentials/credentials.js';
import { toJson } from '../../../src/json/json.js';
import { evictionReport } from '../../../src/report/eviction-report.js';
import { WorkloadResolver } from '../../../src/workload/workload-resolver.js';
import { failureOf, LoopbackServer, replyWith } from '../../http/loopback-server.js';
import { commandRequests } from '../../support/command-context.js';
import { anEvictionRecord } from '../../support/eviction-builders.js';
import { ManualClock } from '../../support/manual-clock.js';
import { never } from '../../support/signals.js';

const seen = evictionReport(anEvictionRecord({ pod: 'seen', uid: 'u1' }));
const page = { items: [seen], totalCount: 1 };
const proxied = '/api/v1/namespaces/ephemeral-storage-exporter/services/ephemeral-storage-exporter:metrics/proxy';

const message = 'Container app exceeded its local ephemeral storage limit "1Gi". ';
const failedPod = (name: string, uid: string, reason = 'Evicted') => ({
  metadata: { namespace: 'shop', name, uid, resourceVersion: '1' },
  status: { phase: 'Failed', reason, message },
});
const pods = {
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  items: [failedPod('seen', 'u1'), failedPod('missed', 'u2'), failedPod('drained', 'u3', 'Terminated')],
};

/** An API server, or an exporter, that knows these paths. */
async function serve(answers: Readonly<Record<string, unknown>>): Promise<LoopbackServer> {
  const server = await LoopbackServer.listen();
  server.answer = (request, response) => {
    const answer = answers[(request.url ?? '').split('?')[0] ?? ''];
    const body = answer === undefined ? '{"kind":"Status","message":"not found"}' : toJson(answer);
    const headers = { 'content-type': 'application/json' };
    replyWith({ status: answer === undefined ? 404 : 200, headers, body })(request, response);
  };
  return server;
}

function read(options: Partial<EvictionSourceOptions>) {
  const clock = new ManualClock({ nowMs: Date.UTC(2026, 0, 1, 13), monotonicMs: 0 });
  const defaults = {
    exporter: undefined,
    credentials: undefined,
    namespace: undefined,
    resolver: new WorkloadResolver({ selectors: [], labels: [], controllers: true }),
    clock,
    version: '1.2.3',
    requests: commandRequests(clock),
  };
  return readEvictions({ ...defaults, ...options }, never);
}

it('the evictions are those of the exporter behind the Service, and of the status of pods', async () => {
  await using api = await serve({ [`${proxied}/api/v1/evictions`]: page, '/api/v1/pods': pods });
  const { evictions, notes } = await read({ credentials: staticCredentials({ server: api.url }) });
  expect(evictions.map(({ pod, unknownUsageReason }) => [pod, unknownUsageReason])).toEqual([
    ['missed', 'no_exporter'],
    ['seen', undefined],
  ]);
  expect(evictions[0]).toMatchObject({ cause: 'container_limit', container: 'app', limitBytes: 2 ** 30 });
  expect(notes).toEqual([]);
  expect(api.requests.map(({ url }) => url)).toContainEqual(
    expect.stringContaining('fieldSelector=status.phase%3DFailed'),
  );
});

it('the evictions are those of the status of pods when no exporter answers, with a note', async () => {
  await using api = await serve({ '/api/v1/namespaces/shop/pods': pods });
  const { evictions, notes } = await read({
    credentials: staticCredentials({ server: api.url }),
    namespace: 'shop',
  });
  expect(evictions.map(({ pod }) => pod)).toEqual(['seen', 'missed']);
  expect(notes).toEqual([expect.stringMatching(/^Only the status of pods was read.*Set --exporter/)]);
});

it('the evictions of an exporter with a URL need no cluster', async () => {
  await using exporter = await serve({ '/prefix/api/v1/evictions': page });
  const { evictions, notes } = await read({ exporter: { url: new URL('/prefix', exporter.url) } });
  expect(evictions.map(({ pod }) => pod)).toEqual(['seen']);
  expect(notes).toEqual([]);
});

it('the evictions of an exporter are complete without the right to list pods, with a note', async () => {
  await using exporter = await serve({ '/api/v1/evictions': page });
  const credentials = staticCredentials({ server: exporter.url });
  const { evictions, notes } = await read({ exporter: { url: exporter.url }, credentials });
  expect(evictions.map(({ pod }) => pod)).toEqual(['seen']);
  expect(notes).toEqual([expect.stringContaining('/api/v1/pods')]);
});

it.each([
  [
    'text/plain; charset=utf-8',
    'unauthorized\n',
    /the exporter answered 401.* proxy for services passes on no cred.* kubectl port-forward/,
  ],
  ['application/json', '{"kind":"Status","message":"Unauthorized"}', /the API server answered 401: Unauthorized/],
])('the error behind the API server names who refused the evictions: 401 as %s', async (type, body, message) => {
  await using api = await LoopbackServer.listen();
  api.answer = replyWith({ status: 401, headers: { 'content-type': type }, body });
  const credentials = staticCredentials({ server: api.url, token: 'operator-token' });
  const error = await failureOf(read({ exporter: defaultExporter, credentials }));
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain('operator-token');
});

it('an exporter that was named and does not answer is an error', async () => {
  await using nobody = await serve({});
  await expect(read({ exporter: { url: nobody.url } })).rejects.toThrow('GET /api/v1/evictions');
});
