import { expect, it } from 'vitest';

import { errorOf, faultsOf, faultsOfSet, linesOf, loadSet, loadText } from './support.js';

const directCases: readonly (readonly [path: string, text: string])[] = [
  ['kubelet.addressTypes', 'addressTypes: [Hostname]'],
  ['kubelet.port', 'port: 10250'],
  ['kubelet.bearerTokenFile', 'bearerTokenFile: /token'],
  ['kubelet.tls.caFile', 'tls: {caFile: /ca}'],
  ['kubelet.tls.serverName', 'tls: {serverName: a}'],
  ['kubelet.tls.insecureSkipVerify', 'tls: {insecureSkipVerify: true}'],
];

it.each<[paths: string[], text: string]>([
  [['cluster.shard'], 'cluster: {shard: 1}'],
  [['cluster.shard'], 'cluster: {shard: 3, totalShards: 3}'],
  [['cluster.nodeLocal'], 'cluster: {nodeLocal: true, totalShards: 2}'],
  [['cluster.node'], 'cluster: {node: node-1, totalShards: 2}'],
  [['agent.enabled'], 'agent: {enabled: true}'],
  [['agent.sampleInterval'], 'agent: {sampleInterval: 50ms}'],
  [['kubelet.requestTimeout'], 'kubelet: {requestTimeout: 55s}'],
  [['kubelet.requestTimeout'], 'cache: {ttl: 10s}\nkubelet: {requestTimeout: 10s}'],
  [['kubelet.requestTimeout'], 'cache: {ttl: 5s}\nkubelet: {requestTimeout: 6s}'],
  [['cache.nearTtl'], 'cache: {nearTtl: 55001ms}'],
  [['cache.nearTtl'], 'cache: {ttl: 0, nearTtl: 100ms}'],
  [['scrape.timeoutOffset'], 'scrape: {timeoutOffset: 10s}'],
  [['scrape.timeoutOffset'], 'scrape: {defaultTimeout: 500ms}'],
  [['scrape.defaultTimeout'], 'scrape: {defaultTimeout: 61s}'],
  [['kubelet.tls.certFile'], 'kubelet: {tls: {certFile: /cert}}'],
  [['kubelet.tls.keyFile'], 'kubelet: {tls: {keyFile: /key}}'],
  [['kubelet.tls.insecureSkipVerify'], 'kubelet: {tls: {insecureSkipVerify: true, caFile: /ca}}'],
  [['kubelet.tls.certFile', 'kubelet.tls.keyFile'], 'kubelet: {access: proxy, tls: {certFile: /cert, keyFile: /key}}'],
  ...directCases.map(([path, text]): [string[], string] => [[path], `kubelet: {access: proxy, ${text}}`]),
])('the paths %j have a fault in %s', (paths, text) => {
  expect(faultsOfSet(text).map((fault) => fault.path)).toEqual(paths);
});

it.each([
  'cluster: {shard: 0}',
  'cluster: {shard: 2, totalShards: 3}',
  'cluster: {totalShards: 3}',
  'cluster: {nodeLocal: true, node: node-1, totalShards: 1}',
  'agent: {enabled: true}\ncluster: {nodeLocal: true}',
  'agent: {enabled: true}\ncluster: {node: node-1}',
  'agent: {enabled: true, sampleInterval: 50ms}\ncluster: {node: node-1}',
  'kubelet: {requestTimeout: 54s999ms}',
  'cache: {ttl: 0}\nkubelet: {requestTimeout: 10m}',
  'cache: {ttl: 10s1ms}',
  'cache: {ttl: 15s, nearTtl: 15s}',
  'cache: {ttl: 0, nearTtl: 0}',
  'cache: {ttl: 0}',
  'scrape: {timeoutOffset: 9s999ms}',
  'kubelet: {tls: {certFile: /cert, keyFile: /key, caFile: /ca}}',
  'kubelet: {tls: {insecureSkipVerify: true}}',
  'kubelet: {access: proxy}',
  'kubelet: {access: proxy, port: 0, tls: {caFile: ""}, addressTypes: [InternalIP, ExternalIP, Hostname]}',
  'kubelet: {access: proxy, requestTimeout: 5s, maxConcurrentRequests: 1, maxBodySize: 1Mi}',
  ...directCases.map(([, text]) => `kubelet: {access: direct, ${text}}`),
])('the settings %s have no fault', (text) => {
  expect(() => loadSet(text)).not.toThrow();
});

it.each([
  ['cache: {ttl: 10s}', 8_000],
  ['cache: {ttl: 100ms}', 80],
  ['cache: {ttl: 10s1ms}', 10_000],
  ['cache: {ttl: 0}', 10_000],
  ['cache: {ttl: 10s}\nkubelet: {requestTimeout: 9s}', 9_000],
])('the default of kubelet.requestTimeout stays below cache.ttl: %s', (text, expectedMs) => {
  expect(loadText(text).kubelet.requestTimeoutMs).toBe(expectedMs);
});

it.each([
  ['cache: {ttl: 5s}', 5_000],
  ['cache: {ttl: 10s1ms}', 10_000],
  ['cache: {ttl: 0}', 0],
  ['cache: {ttl: 20s, nearTtl: 15s}', 15_000],
])('the default of cache.nearTtl is at most cache.ttl: %s', (text, expectedMs) => {
  expect(loadText(text).cache.nearTtlMs).toBe(expectedMs);
});

it('a fault names both settings, their values and their sources', () => {
  expect(linesOf('kubelet:\n  requestTimeout: 10s\ncache:\n  ttl: 5s\nscrape:\n  timeoutOffset: 20s')).toEqual([
    'kubelet.requestTimeout: found "10s" (config.yaml:2); allowed: less than cache.ttl, which is "5s" (config.yaml:4)',
    'scrape.timeoutOffset: found "20s" (config.yaml:6); allowed: less than scrape.defaultTimeout, which is "10s" (default)',
  ]);
  expect(linesOf('cache: {ttl: 5s, nearTtl: 20s}')).toEqual([
    'cache.nearTtl: found "20s" (config.yaml:1); allowed: at most cache.ttl, which is "5s" (config.yaml:1)',
  ]);
  expect(linesOf('kubelet:\n  access: proxy\n  port: 10250\n')).toEqual([
    'kubelet.port: found 10250 (config.yaml:3); allowed: only the default, as the API server connects to the kubelets, together with kubelet.access, which is "proxy" (config.yaml:2)',
  ]);
  expect(linesOf('agent: {enabled: true}')).toEqual([
    'agent.enabled: found true (config.yaml:1); allowed: only false, as the agent reads a single node (or set --node), together with cluster.nodeLocal, which is false (default)',
  ]);
  expect(linesOf('agent: {sampleInterval: 1s}')).toEqual([
    'agent.sampleInterval: found "1s" (config.yaml:1); allowed: only 0 together with agent.enabled, which is false (default)',
  ]);
  const { message } = errorOf({ flags: { node: 'node-1', 'total-shards': '3', shard: '4' } });
  expect(message.split('\n')).toEqual([
    'cluster.shard: found 4 (--shard); allowed: less than cluster.totalShards, which is 3 (--total-shards)',
    'cluster.node: found "node-1" (--node); allowed: only "", as the exporter of a single node has no shards, together with cluster.totalShards, which is 3 (--total-shards)',
  ]);
  expect(linesOf('kubelet: {tls: {keyFile: /key}}')).toEqual([
    'kubelet.tls.keyFile: found "/key" (config.yaml:1); allowed: a file only together with kubelet.tls.certFile, which is nothing (default)',
  ]);
});

it.each([
  ['one of its settings', 'kubelet: {requestTimeout: 2m}\ncache: {ttl: abc}', ['cache.ttl']],
  ['the section of one', 'kubelet: {requestTimeout: 2m}\ncache: 5m', ['cache']],
  ['an item of one', 'kubelet: {access: proxy, addressTypes: [x]}', ['kubelet.addressTypes[0]']],
  ['the whole file', 'kubelet: {requestTimeout: 2m}\ncache: [', ['']],
])('a rule is not checked while %s has its own fault', (_case, text, paths) => {
  expect([...new Set(faultsOf(text).map((fault) => fault.path))]).toEqual(paths);
});
