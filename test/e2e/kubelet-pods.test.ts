// @module-tag sockets

import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { emptyScenario, type Scenario } from '../../sim/model/scenario.js';
import type { PodSpec } from '../../sim/model/specs.js';
import { Exporter, type ExporterOptions } from '../support/exporter.js';

const ttlMs = 55_000;

const settings = 'cluster: {node: node-1}\nkubelet: {podsSource: kubelet}\ncache: {nearTtl: 0}';

/** Nothing about pods at the API server. */
const rules: readonly Rule[] = [
  { verbs: ['list', 'watch'], resources: ['nodes'] },
  { verbs: ['get'], resources: ['nodes/stats', 'nodes/pods'] },
];

const pod = (name: string, others: Partial<PodSpec> = {}): PodSpec => ({
  namespace: 'shop',
  name,
  nodeName: 'node-1',
  containers: [{ name: 'main', rootfs: { initialBytes: 4096 }, logs: { initialBytes: 8192 }, limitBytes: 2 ** 20 }],
  ...others,
});

const scenario: Scenario = {
  nodes: emptyScenario('node-1', 'node-2').nodes,
  populate: ({ model }) => {
    model.addPod(pod('cart', { labels: { app: 'cart' }, owner: { kind: 'StatefulSet', name: 'cart' } }));
    model.addPod(
      pod('job', {
        namespace: 'ops',
        volumes: [{ name: 'data', source: 'emptyDir', sizeLimitBytes: 2 ** 20, content: { initialBytes: 512 } }],
      }),
    );
    model.addPod(pod('etcd-node-1', { namespace: 'kube-system', isStatic: true, priority: 2_000_001_000 }));
    model.addPod(pod('elsewhere', { nodeName: 'node-2' }));
  },
};

async function start(options: ExporterOptions = {}): Promise<Exporter> {
  const exporter = await Exporter.start({ scenario, settings, rules, ...options });
  await exporter.synced();
  return exporter;
}

const profile = '\nmetrics: {profile: full}';

const podNames = async (exporter: Exporter) =>
  (await exporter.scrape())
    .samples('pod_used_bytes')
    .map(({ labels }) => labels['pod'])
    .sort();

const podsCount = async (exporter: Exporter, result: string) =>
  (await exporter.scrape()).value('exporter_kubelet_pods_requests_total', { result });

/** Advances until the kubelet has been asked for its pods once more. */
async function nextPoll(exporter: Exporter, result: string): Promise<void> {
  const before = (await podsCount(exporter, result)) ?? 0;
  await exporter.clock.advance(ttlMs);
  await expect
    .poll(async () => (await exporter.scrape()).samples('exporter_kubelet_pods_requests_total'), { interval: 10 })
    .toContainEqual(expect.objectContaining({ labels: { result }, value: before + 1 }));
}

const readyText = async (exporter: Exporter) => (await exporter.get('/readyz?verbose')).text;

const send = (body: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(body);
};

const listOf = (...items: readonly object[]): string =>
  JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

const item = (name: string, others: { uid?: string; nodeName?: string } = {}): object => ({
  metadata: { name, namespace: 'shop', uid: others.uid ?? name, annotations: { 'kubernetes.io/config.source': 'api' } },
  spec: { nodeName: others.nodeName ?? 'node-1', containers: [{ name: 'main' }] },
  status: { phase: 'Running' },
});

describe('pods of the kubelet', () => {
  it('give the same series as those of the API server, but for the UIDs of static pods', async () => {
    await using ofApi = await Exporter.start({ scenario, settings: `cluster: {node: node-1}${profile}` });
    await ofApi.clock.advance(2_500);
    await ofApi.synced();
    await using ofKubelet = await ofApi.another({ settings: `${settings}${profile}`, rules });
    await ofKubelet.synced();
    await ofApi.clock.advance(180_000);
    const [one, other] = [await ofApi.scrape(), await ofKubelet.scrape()];
    const series = ({ families }: typeof one) =>
      families
        .filter(({ name }) => !/_(?:exporter|nodejs|process)_|^(?:nodejs|process)_/.test(name))
        .flatMap(({ name, samples }) =>
          samples.map(({ labels, value }) => {
            const uid = labels['static'] === 'true' ? 'any' : labels['uid'];
            return JSON.stringify([name, { ...labels, uid }, value]);
          }),
        );
    expect(series(one).length).toBeGreaterThan(100);
    expect(series(other)).toEqual(series(one));
    const uidOf = (scraped: typeof one) =>
      scraped.samples('pod_info').find(({ labels }) => labels['static'] === 'true')?.labels['uid'];
    expect(uidOf(other)).toMatch(/^[0-9a-f]{32}$/);
    expect(uidOf(one)).not.toBe(uidOf(other));
  });

  it('need no permission for pods at the API server, which is asked for none', async () => {
    await using exporter = await start();
    await nextPoll(exporter, 'success');
    expect(await podNames(exporter)).toEqual(['cart', 'etcd-node-1', 'job']);
    const asked = exporter.cluster.apiRequests.filter(({ user }) => user === 'exporter').map(({ path }) => path);
    expect([...new Set(asked)]).toEqual(['/api/v1/nodes']);
    const { value } = await exporter.scrape();
    expect(value('exporter_store_mode', { resource: 'pods', mode: 'kubelet' })).toBe(1);
    expect(value('exporter_store_watch_connected', { resource: 'pods' })).toBe(1);
    expect(await readyText(exporter)).toContain('pods ok: from the kubelet, last progress');
  });

  it('are those that the namespaces and the selector of pods leave', async () => {
    const selected = 'cluster: {node: node-1, namespaces: [shop, ops], podSelector: "app=cart"}';
    await using exporter = await start({ settings: `${selected}\nkubelet: {podsSource: kubelet}` });
    await exporter.clock.advance(180_000);
    expect(await podNames(exporter)).toEqual(['cart']);
  });

  it('that come and go are seen by the next request, of which there is one in a TTL', async () => {
    await using exporter = await start();
    const { model } = exporter.cluster;
    await nextPoll(exporter, 'success');
    model.addPod(pod('young'));
    await nextPoll(exporter, 'success');
    await exporter.clock.advance(60_000);
    expect(await podNames(exporter)).toContain('young');
  });

  it('that are evicted are counted, unless they are deleted before the next request', async () => {
    await using exporter = await start();
    await nextPoll(exporter, 'success');
    const { model } = exporter.cluster;
    const evict = (name: string) => {
      const found = model.podsOn('node-1').find(({ spec }) => spec.name === name);
      if (found === undefined) throw new Error(`no pod ${name}`);
      model.evictPod(found, {
        message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ',
        isForNode: false,
      });
    };
    evict('cart');
    evict('job');
    model.deletePod('ops', 'job');
    await nextPoll(exporter, 'success');
    const evictions = async () =>
      (await exporter.scrape()).samples('pod_evicted_timestamp_seconds').map(({ labels }) => labels['pod']);
    await expect.poll(evictions, { interval: 10 }).toEqual(['cart']);
  });

  it('are read by the new source alone after a reload', async () => {
    await using exporter = await start();
    await nextPoll(exporter, 'success');
    await exporter.clock.advance(40_000);
    await exporter.apply(settings.replace('nearTtl: 0', 'nearTtl: 0, ttl: 55001ms'));
    let requestCount = 0;
    exporter.cluster.setPodsAnswer('node-1', (response) => {
      requestCount += 1;
      response.writeHead(500).end();
    });
    await exporter.clock.advance(20_000); // the request of the former source would be due after 15 s
    await exporter.scrape();
    expect(requestCount).toBe(0);
    await nextPoll(exporter, 'http_status');
    expect(requestCount).toBe(1);
  });

  it('are read from a kubelet that authorizes by nodes/proxy alone, as those before Kubernetes 1.33 do', async () => {
    const older = [...rules.slice(0, 1), { verbs: ['get'], resources: ['nodes/stats', 'nodes/proxy'] }];
    await using exporter = await start({ rules: older });
    expect(await podsCount(exporter, 'success')).toBe(1);
  });
});

describe('a kubelet that does not list its pods', () => {
  it('is not taken for one without pods: the exporter is not ready, and says which permission is missing', async () => {
    await using exporter = await Exporter.start({ scenario, settings, rules: rules.slice(0, 1) });
    await expect.poll(() => readyText(exporter), { interval: 10 }).toContain('nodes/pods');
    expect((await exporter.get('/readyz')).status).toBe(503);
    expect(exporter.log.filter((line) => line.includes('list failed'))).toHaveLength(1);
  });

  it.each<[what: string, result: string, answer: (response: ServerResponse) => void]>([
    ['with 401', 'unauthorized', (response) => response.writeHead(401).end('Unauthorized')],
    ['with 403', 'forbidden', (response) => response.writeHead(403).end('Forbidden')],
    ['with 404', 'not_found', (response) => response.writeHead(404).end('404 page not found')],
    ['with 500', 'http_status', (response) => response.writeHead(500).end('oops')],
    [
      'with a redirect',
      'http_status',
      (response) => response.writeHead(307, { Location: 'https://elsewhere.invalid/' }).end(),
    ],
    [
      'with half a body',
      'connection',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
        response.write(listOf(item('cart')).slice(0, 100), () => response.destroy());
      },
    ],
    ['with a list that ends in the middle', 'decode', send(listOf(item('cart')).slice(0, 100))],
    ['with another kind', 'decode', send('{"kind":"NodeList","metadata":{},"items":[]}')],
    ['with malformed pods alone', 'success', send(listOf({ metadata: {}, spec: {} }, {}))],
    ['with no pods at all', 'success', send('{"kind":"PodList","apiVersion":"v1","metadata":{},"items":null}')],
    [
      'with more than the limit',
      'too_large',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.end(`{"kind":"PodList","metadata":{},"items":[${' '.repeat(9 * 2 ** 20)}]}`);
      },
    ],
    [
      'with more pods than any node has',
      'too_large',
      send(listOf(...Array.from({ length: 3_001 }, (_, index) => item(`p${index}`)))),
    ],
    ['with the pods of another node', 'decode', send(listOf(item('cart'), item('foreign', { nodeName: 'node-2' })))],
  ])('but answers %s keeps the pods it had, and is asked once in a TTL', async (_what, result, answer) => {
    await using exporter = await start();
    await nextPoll(exporter, 'success');
    const before = await podNames(exporter);
    expect(before).toHaveLength(3);
    exporter.cluster.setPodsAnswer('node-1', answer);
    await nextPoll(exporter, result);
    await expect.poll(() => readyText(exporter), { interval: 10 }).toContain('last error');
    expect(await podNames(exporter)).toEqual(before);
    expect((await exporter.get('/api/v1/status')).text).toContain('the kubelet does not list its pods');
    expect((await exporter.scrape()).value('exporter_store_watch_connected', { resource: 'pods' })).toBe(0);
    await exporter.clock.advance(ttlMs / 2);
    expect((await exporter.get('/readyz')).status).toBe(200);
    exporter.cluster.setPodsAnswer('node-1', undefined);
    await nextPoll(exporter, 'success');
    await expect.poll(() => readyText(exporter), { interval: 10 }).not.toContain('last error');
  });

  it('but hangs is given up after the time limit, and asked again in the next TTL', async () => {
    await using exporter = await start();
    let requestCount = 0;
    exporter.cluster.setPodsAnswer('node-1', () => {
      requestCount += 1;
    });
    await exporter.clock.advance(ttlMs);
    await expect.poll(() => requestCount, { interval: 10 }).toBe(1);
    await exporter.clock.advance(10_000);
    await expect.poll(() => podsCount(exporter, 'timeout'), { interval: 10 }).toBe(1);
    await exporter.clock.advance(40_000);
    expect(requestCount).toBe(1);
  });

  it('lists a pod twice: the first one counts', async () => {
    await using exporter = await start();
    const twice = listOf(item('cart'), item('cart', { uid: 'other' }), item('twin', { uid: 'cart' }), item('job'));
    exporter.cluster.setPodsAnswer('node-1', send(twice));
    await nextPoll(exporter, 'success');
    await nextPoll(exporter, 'success');
    await expect
      .poll(async () => (await exporter.scrape()).value('exporter_store_objects', { resource: 'pods' }), {
        interval: 10,
      })
      .toBe(3);
    expect(
      (await exporter.scrape()).value('exporter_store_skipped_objects_total', {
        resource: 'pods',
        reason: 'malformed',
      }),
    ).toBeGreaterThan(0);
  });

  it('knows its static pods alone after a restart: the others stay, unless the next list lacks them too', async () => {
    await using exporter = await start();
    const count = async () => (await exporter.scrape()).value('exporter_store_objects', { resource: 'pods' });
    exporter.cluster.setPodsAnswer('node-1', send(listOf()));
    await nextPoll(exporter, 'success');
    await expect
      .poll(() => readyText(exporter), { interval: 10 })
      .toContain('3 of 3 are no longer listed, and are kept');
    expect(await count()).toBe(3);
    await nextPoll(exporter, 'success');
    await expect.poll(count, { interval: 10 }).toBe(0);
  });

  it('has restarted while the API server is away: its pods stay for as long', async () => {
    await using exporter = await start();
    await exporter.cluster.setApiFault('down');
    exporter.cluster.dropWatches();
    exporter.cluster.setPodsAnswer('node-1', send(listOf()));
    const count = async () => (await exporter.scrape()).value('exporter_store_objects', { resource: 'pods' });
    await expect
      .poll(() => exporter.app.hasSynced && exporter.log.some((line) => line.includes('watch failed')))
      .toBe(true);
    for (let times = 0; times < 3; times += 1) {
      await nextPoll(exporter, 'success');
      await expect.poll(() => readyText(exporter), { interval: 10 }).toContain('are no longer listed, and are kept');
      expect(await count()).toBe(3);
    }
    await exporter.cluster.setApiFault(undefined);
  });
});
