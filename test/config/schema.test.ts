import { describe, expect, it } from 'vitest';

import { formatSelector } from '../../src/cluster/kube/selector.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import { contradictorySelectors } from '../../src/serve/app/setting-warnings.js';
import { faultsOf, faultsOfSet, linesOf, load, loadSet, loadText } from './support.js';

it.each([
  ['type=virtual-kubelet,liqo.io/type=virtual-node', ['liqo.io/type=virtual-node,type=virtual-kubelet']],
  ['type=virtual-kubelet,type=kwok', ['type=kwok,type=virtual-kubelet']],
  ['type=virtual-kubelet,zone=a', []],
  ['type=virtual-kubelet', []],
])('a selector of two kinds of nodes is none of the nodes: %s', (text, expected) => {
  expect(contradictorySelectors([parseSelector(text)])).toEqual(expected);
});

it.each([
  ['neither selectors nor labels', '{}', true],
  ['labels', '{labels: [app]}', false],
  ['selectors', '{selectors: [{name: a, selector: {}}]}', false],
  ['labels, and controllers wanted', '{labels: [app], controllers: true}', true],
  ['nothing, and controllers not wanted', '{controllers: false}', false],
])('workloads.controllers, with %s, is %s', (_case, workloads, expected) => {
  expect(loadText(`workloads: ${workloads}`).workloads.controllers).toBe(expected);
});

describe('accepted values', () => {
  const billing = [{ key: 'app', operator: 'In', values: ['billing'] }];

  it.each([
    ['cluster: {nodeSelector: "app=billing"}', { cluster: { nodeSelector: billing } }],
    ['cluster: {podSelector: {matchLabels: {app: billing}}}', { cluster: { podSelector: billing } }],
    ['cluster: {skipNodes: []}', { cluster: { skipNodes: [] } }],
    ['cluster: {namespaces: [shop, kube-system]}', { cluster: { namespaces: ['shop', 'kube-system'] } }],
    ['cluster: {node: ""}', { cluster: { node: undefined } }],
    ['cluster: {shard: 0, totalShards: 2}', { cluster: { shard: 0, totalShards: 2 } }],
    ['cluster: {totalShards: 1000}', { cluster: { shard: undefined, totalShards: 1000 } }],
    ['kubelet: {port: 0}', { kubelet: { port: undefined } }],
    ['kubelet: {port: 65535}', { kubelet: { port: 65_535 } }],
    ['kubelet: {requestTimeout: 10ms}', { kubelet: { requestTimeoutMs: 10 } }],
    ['kubelet: {maxBodySize: 1Ki}', { kubelet: { maxBodyBytes: 1024 } }],
    ['kubelet: {maxBodySize: 256Mi}', { kubelet: { maxBodyBytes: 268_435_456 } }],
    ['kubelet: {bearerTokenFile: ""}', { kubelet: { bearerTokenFile: undefined } }],
    ['kubelet: {tls: {serverName: "{node}.example.org"}}', { kubelet: { tls: { serverName: '{node}.example.org' } } }],
    ['cache: {ttl: 0}', { cache: { ttlMs: 0 } }],
    ['cache: {ttl: 1h}', { cache: { ttlMs: 3_600_000 } }],
    ['cache: {nearTtl: 0}', { cache: { nearTtlMs: 0 } }],
    ['cache: {maxBackoff: 0}', { cache: { maxBackoffMs: 300_000 } }],
    ['cache: {maxBackoff: -5s}', { cache: { maxBackoffMs: 300_000 } }],
    ['cache: {maxBackoff: 1s}', { cache: { maxBackoffMs: 1000 } }],
    ['scrape: {timeoutOffset: 0}', { scrape: { timeoutOffsetMs: 0 } }],
    ['web: {listenAddresses: ["[::1]:80"]}', { web: { listenAddresses: [{ host: '::1', port: 80 }] } }],
    ['web: {configFile: web.yml}', { web: { configFile: 'web.yml' } }],
    ['web: {status: off}', { web: { status: false } }],
    ['web: {status: false}', { web: { status: false } }],
    ['web: {clusterName: prod}', { web: { clusterName: 'prod' } }],
    [
      'web: {links: ["Overview: a=https://grafana.example.com/d/x?a=b"]}',
      { web: { links: [{ name: 'Overview: a', url: 'https://grafana.example.com/d/x?a=b' }] } },
    ],
    ['web: {telemetryPath: /a/b}', { web: { telemetryPath: '/a/b' } }],
    ['metrics: {levels: [pod, node]}', { metrics: { levels: ['pod', 'node'] } }],
    ['metrics: {levels: []}', { metrics: { levels: [] } }],
    ['metrics: {allow: [".*_bytes", "a{1,2}"]}', { metrics: { allow: ['.*_bytes', 'a{1,2}'] } }],
    ['metrics: {deny: ["(a+)+$"]}', { metrics: { deny: ['(a+)+$'] } }],
    [
      'metrics: {nodeLabels: [topology.kubernetes.io/zone, pool]}',
      { metrics: { nodeLabels: ['topology.kubernetes.io/zone', 'pool'] } },
    ],
    ['metrics: {maxSeries: 0}', { metrics: { maxSeries: undefined } }],
    ['metrics: {maxSeries: 100000000}', { metrics: { maxSeries: 100_000_000 } }],
    [
      'metrics: {compatibility: k8s-ephemeral-storage-metrics}',
      { metrics: { compatibility: 'k8s-ephemeral-storage-metrics' } },
    ],
    [
      'workloads: {selectors: [{name: b, selector: "app=billing", namespaces: [shop]}]}',
      { workloads: { selectors: [{ name: 'b', selector: billing, namespaces: ['shop'] }] } },
    ],
    [
      'workloads: {selectors: [{name: all, selector: {}}, {name: every, selector: ""}]}',
      {
        workloads: {
          selectors: [
            { name: 'all', selector: [], namespaces: [] },
            { name: 'every', selector: [], namespaces: [] },
          ],
        },
      },
    ],
  ])('the settings %s are accepted', (text, expected) => {
    expect(loadSet(text)).toMatchObject(expected);
  });

  it.each(['cluster:', 'cluster: {namespaces: }', 'cluster: ~', 'workloads: {selectors: , controllers: }'])(
    'keys without a value count as absent: %s',
    (text) => {
      expect(loadText(text)).toEqual(load({}));
    },
  );
});

describe('a selector as a mapping', () => {
  it('joins matchLabels and matchExpressions', () => {
    const matchExpressions = [
      '{key: tier, operator: In, values: [a, b]}',
      '{key: track, operator: NotIn, values: [canary]}',
      '{key: team, operator: Exists}',
      '{key: legacy, operator: DoesNotExist, values: []}',
    ];
    const mapping = `{matchLabels: {app: billing, empty: ""}, matchExpressions: [${matchExpressions.join(', ')}]}`;
    const { podSelector } = loadText(`cluster: {podSelector: ${mapping}}`).cluster;
    expect(formatSelector(podSelector)).toBe('!legacy,app=billing,empty=,team,tier in (a,b),track!=canary');
  });

  it.each([
    ['{app: x}', 'unknown key "app"; allowed are matchLabels, matchExpressions'],
    ['{__proto__: {app: x}}', 'unknown key "__proto__"; allowed are matchLabels, matchExpressions'],
    ['{matchLabels: [x]}', 'matchLabels: must be a mapping'],
    ['{matchLabels: {version: 1}}', 'matchLabels.version: must be text, found 1; put it in quotes'],
    ['{matchLabels: {on: true}}', 'matchLabels.on: must be text, found true; put it in quotes'],
    ['{matchLabels: {app: }}', 'matchLabels.app: must be text, found nothing; put it in quotes'],
    ['{matchLabels: {a b: x}}', '"a b" is not a label key'],
    ['{matchLabels: {__proto__: x}}', '"__proto__" is not a label key'],
    ['{matchLabels: {app: x y}}', '"x y" is not a label value'],
    ['{matchLabels: {app: "x,b=c"}}', '"x,b=c" is not a label value'],
    ['{matchExpressions: {}}', 'matchExpressions: must be a list'],
    ['{matchExpressions: [x]}', 'matchExpressions[0]: must be a mapping'],
    ['{matchExpressions: [{operator: Exists}]}', 'matchExpressions[0].key: must be text, found nothing'],
    [
      '{matchExpressions: [{key: a, operator: in, values: [x]}]}',
      'matchExpressions[0].operator: must be one of In, NotIn, Exists, DoesNotExist',
    ],
    ['{matchExpressions: [{key: a}]}', 'matchExpressions[0].operator: must be one of'],
    ['{matchExpressions: [{key: a, operator: Exists, value: x}]}', 'matchExpressions[0]: unknown key "value"'],
    ['{matchExpressions: [{key: a, operator: In}]}', 'In of "a" needs at least one value'],
    ['{matchExpressions: [{key: a, operator: NotIn, values: []}]}', 'NotIn of "a" needs at least one value'],
    ['{matchExpressions: [{key: a, operator: Exists, values: [x]}]}', 'Exists of "a" takes no values'],
    ['{matchExpressions: [{key: a, operator: DoesNotExist, values: [x]}]}', 'DoesNotExist of "a" takes no values'],
    ['{matchExpressions: [{key: a, operator: In, values: x}]}', 'matchExpressions[0].values: must be a list'],
    ['{matchExpressions: [{key: a, operator: In, values: [1]}]}', 'matchExpressions[0].values[0]: must be text'],
  ])('the selector %s is refused', (text, problem) => {
    const [fault] = faultsOf(`cluster: {podSelector: ${text}}`);
    expect([fault?.path, fault?.problem]).toEqual(['cluster.podSelector', 'found a mapping']);
    expect(fault?.hint).toContain(`(${problem}`);
  });
});

describe('rejected values', () => {
  it.each([
    ['cluster.nodeSelector', 'cluster: {nodeSelector: "a in ("}'],
    ['cluster.nodeSelector', 'cluster: {nodeSelector: 5}'],
    ['cluster.podSelector', 'cluster: {podSelector: {matchLabels: [a]}}'],
    ['cluster.podSelector', 'cluster: {podSelector: {matchLabel: {a: b}}}'],
    ['cluster.namespaces', 'cluster: {namespaces: shop}'],
    ['cluster.namespaces[1]', 'cluster: {namespaces: [shop, Shop]}'],
    ['cluster.namespaces[1]', 'cluster: {namespaces: [shop, shop]}'],
    ['cluster.node', 'cluster: {node: Node-1}'],
    ['cluster.node', 'cluster: {node: "a,b"}'],
    ['cluster.node', 'cluster: {node: "a..b"}'],
    ['cluster.node', `cluster: {node: ${'n'.repeat(254)}}`],
    ['cluster.shard', 'cluster: {shard: -1, totalShards: 2}'],
    ['cluster.totalShards', 'cluster: {totalShards: 0}'],
    ['cluster.totalShards', 'cluster: {totalShards: 1001}'],
    ['cluster.totalShards', 'cluster: {totalShards: 1.5}'],
    ['cluster.skipNodes[0]', 'cluster: {skipNodes: ["!"]}'],
    ['kubelet.access', 'kubelet: {access: tunnel}'],
    ['kubelet.addressTypes', 'kubelet: {addressTypes: []}'],
    ['kubelet.addressTypes[0]', 'kubelet: {addressTypes: [internalIP]}'],
    ['kubelet.addressTypes[1]', 'kubelet: {addressTypes: [Hostname, Hostname]}'],
    ['kubelet.port', 'kubelet: {port: -1}'],
    ['kubelet.port', 'kubelet: {port: 65536}'],
    ['kubelet.port', 'kubelet: {port: "10250"}'],
    ['kubelet.requestTimeout', 'kubelet: {requestTimeout: 9ms}'],
    ['kubelet.requestTimeout', 'kubelet: {requestTimeout: 11m}'],
    ['kubelet.requestTimeout', 'kubelet: {requestTimeout: 0}'],
    ['kubelet.requestTimeout', 'kubelet: {requestTimeout: -10s}'],
    ['kubelet.maxConcurrentRequests', 'kubelet: {maxConcurrentRequests: 0}'],
    ['kubelet.maxConcurrentRequests', 'kubelet: {maxConcurrentRequests: 10001}'],
    ['kubelet.maxBodySize', 'kubelet: {maxBodySize: 1023}'],
    ['kubelet.maxBodySize', 'kubelet: {maxBodySize: 257Mi}'],
    ['kubelet.maxBodySize', 'kubelet: {maxBodySize: 64MiB}'],
    ['kubelet.maxBodySize', 'kubelet: {maxBodySize: -64Mi}'],
    ['kubelet.maxBodySize', 'kubelet: {maxBodySize: .inf}'],
    ['kubelet.bearerTokenFile', 'kubelet: {bearerTokenFile: " "}'],
    ['kubelet.tls.caFile', 'kubelet: {tls: {caFile: "a\\0b"}}'],
    ['kubelet.tls.serverName', 'kubelet: {tls: {serverName: 192.0.2.1}}'],
    ['kubelet.tls.insecureSkipVerify', 'kubelet: {tls: {insecureSkipVerify: yes}}'],
    ['agent.sampleInterval', 'agent: {sampleInterval: 49ms}'],
    ['agent.sampleInterval', 'agent: {sampleInterval: 10s1ms}'],
    ['agent.sampleInterval', 'agent: {sampleInterval: -1s}'],
    ['cache.ttl', 'cache: {ttl: 99ms}'],
    ['cache.ttl', 'cache: {ttl: 2h}'],
    ['cache.nearTtl', 'cache: {nearTtl: 99ms}'],
    ['cache.ttl', 'cache: {ttl: -1s}'],
    ['cache.maxBackoff', 'cache: {maxBackoff: 999ms}'],
    ['cache.maxBackoff', 'cache: {maxBackoff: 25h}'],
    ['cache.maxBackoff', 'cache: {maxBackoff: soon}'],
    ['workloads.selectors', 'workloads: {selectors: billing}'],
    ['workloads.selectors[0]', 'workloads: {selectors: [billing]}'],
    ['workloads.selectors[0].name', 'workloads: {selectors: [{selector: {}}]}'],
    ['workloads.selectors[0].name', 'workloads: {selectors: [{name: "", selector: {}}]}'],
    ['workloads.selectors[0].name', 'workloads: {selectors: [{name: a/b, selector: {}}]}'],
    ['workloads.selectors[0].name', 'workloads: {selectors: [{name: " a", selector: {}}]}'],
    ['workloads.selectors[1].name', 'workloads: {selectors: [{name: a, selector: {}}, {name: a, selector: {}}]}'],
    ['workloads.selectors[0].selector', 'workloads: {selectors: [{name: a}]}'],
    ['workloads.selectors[0].selector', 'workloads: {selectors: [{name: a, selector: }]}'],
    ['workloads.selectors[0].namespaces[0]', 'workloads: {selectors: [{name: a, selector: {}, namespaces: [A]}]}'],
    ['workloads.labels[0]', 'workloads: {labels: [a b]}'],
    ['workloads.labels[1]', 'workloads: {labels: [app, app]}'],
    ['attribution', 'attribution: Even'],
    ['metrics.levels', 'metrics: {levels: {deployment: false}}'],
    ['metrics.levels[1]', 'metrics: {levels: [node, pods]}'],
    ['metrics.levels[1]', 'metrics: {levels: [node, node]}'],
    ['metrics.allow', 'metrics: {allow: ".*"}'],
    ['metrics.allow[0]', 'metrics: {allow: [""]}'],
    ['metrics.allow[1]', 'metrics: {allow: [".*", "("]}'],
    ['metrics.allow[0]', 'metrics: {allow: ["(?i)a"]}'],
    ['metrics.deny[0]', 'metrics: {deny: ["a)|(b"]}'],
    ['metrics.deny[0]', `metrics: {deny: ["${'a'.repeat(1001)}"]}`],
    ['metrics.deny[1]', 'metrics: {deny: [a, a]}'],
    ['metrics.maxSeries', 'metrics: {maxSeries: -1}'],
    ['metrics.maxSeries', 'metrics: {maxSeries: 100000001}'],
    ['metrics.compatibility', 'metrics: {compatibility: yes}'],
    ['scrape.timeoutOffset', 'scrape: {timeoutOffset: 61s}'],
    ['scrape.timeoutOffset', 'scrape: {timeoutOffset: -1s}'],
    ['scrape.defaultTimeout', 'scrape: {defaultTimeout: 99ms}'],
    ['scrape.defaultTimeout', 'scrape: {defaultTimeout: 60s1ms}'],
    ['scrape.maxInFlight', 'scrape: {maxInFlight: 0}'],
    ['scrape.maxInFlight', 'scrape: {maxInFlight: 1001}'],
    ['web.listenAddresses', 'web: {listenAddresses: []}'],
    ['web.listenAddresses[0]', 'web: {listenAddresses: ["::1:80"]}'],
    ['web.listenAddresses[1]', 'web: {listenAddresses: [":80", ":080"]}'],
    ['web.telemetryPath', 'web: {telemetryPath: metrics}'],
    ['web.telemetryPath', 'web: {telemetryPath: /}'],
    ['web.telemetryPath', 'web: {telemetryPath: /livez}'],
    ['web.telemetryPath', 'web: {telemetryPath: /healthz}'],
    ['web.telemetryPath', 'web: {telemetryPath: /readyz}'],
    ...[
      '/status',
      '/api/v1/status',
      '/api/v1/openapi.json',
      '/containers',
      '/volumes',
      '/api/v1/volumes',
      '/pods/x/y',
    ].map((path): [string, string] => ['web.telemetryPath', `web: {telemetryPath: ${path}}`]),
    ['web.status', 'web: {status: no}'],
    ['web.configFile', 'web: {configFile: " "}'],
    ['web.clusterName', 'web: {clusterName: " prod"}'],
    ...['javascript:alert(1)', 'x=javascript:alert(1)', 'x=/d/x', 'x=https://u:p@h/', '=https://h/', 'x=', 'x= '].map(
      (link) => ['web.links[0]', `web: {links: ["${link}"]}`] as [string, string],
    ),
    ['log.level', 'log: {level: trace}'],
    ['log.format', 'log: {format: text}'],
  ])('a rejected value of %s is a fault: %s', (path, text) => {
    expect(faultsOfSet(text).map((fault) => fault.path)).toEqual([path]);
  });

  it('a placeholder of a link that does not exist is a fault that names the one that is meant', () => {
    const [fault] = faultsOf(
      'web: {links: ["a=https://h/{cluster}/{pods}", "b=https://h/{namespace}/{pod}?q={\\"x\\":1}"]}',
    );
    expect(fault).toMatchObject({
      path: 'web.links[0]',
      hint: expect.stringContaining('{pods} is unknown (did you mean pod?)') as unknown,
    });
  });

  it('a duplicate workload name is a fault beside another one', () => {
    const paths = faultsOf('workloads: {selectors: [{name: a, selector: "("}, {name: a, selector: {}}]}');
    expect(paths.map((fault) => fault.path)).toEqual([
      'workloads.selectors[0].selector',
      'workloads.selectors[1].name',
    ]);
  });
});

it.each([
  ['cluster: {node: node-1}', 'cluster.node', 'set --node or EPHEMERAL_STORAGE_EXPORTER_CLUSTER_NODE'],
  ['cluster: {shard: 0}', 'cluster.shard', 'set --shard or EPHEMERAL_STORAGE_EXPORTER_CLUSTER_SHARD'],
  ['cluster: {totalShards: 2}', 'cluster.totalShards', /^set --total-shards or /],
  ['web: {listenAddresses: [":1"]}', 'web.listenAddresses', /^set --web.listen-address or /],
  ['web: {telemetryPath: /m}', 'web.telemetryPath', /^set --web.telemetry-path or /],
  ['web: {configFile: web.yml}', 'web.configFile', /^set --web.config.file or /],
  ['web: {enableLifecycle: true}', 'web.enableLifecycle', /^set --web.enable-lifecycle or /],
])('the file %s is refused: a flag sets %s', (text, path, hint) => {
  const problem = 'a flag, and no setting of the file';
  const stringMatching = expect.stringMatching(hint) as unknown;
  expect(faultsOf(text)).toEqual([{ path, problem, source: 'config.yaml:1', hint: stringMatching }]);
});

it('the file is refused for a flag alone, whatever follows from its value; what is allowed names no flag', () => {
  expect(linesOf('agent: {enabled: true}\ncluster: {node: node-1, nod: 1}')).toEqual([
    'cluster.nod: unknown key (config.yaml:2); allowed: nodeSelector, namespaces, podSelector, skipNodes, nodeLocal',
    'cluster.node: a flag, and no setting of the file (config.yaml:2); set --node or EPHEMERAL_STORAGE_EXPORTER_CLUSTER_NODE',
  ]);
});

it('a message names the value, where it is, and what is allowed', async () => {
  const texts = [
    'cache: {ttl: abc}',
    'cache: {ttl: 55}',
    'kubelet: {maxBodySize: 1}',
    'agent: {sampleInterval: 10ms}',
    'kubelet: {port: 70000}',
    'log: {level: trace}',
    'cluster: {nodeSelector: "a in (b"}',
    'metrics: {deny: ["(?i)a"]}',
    'workloads: {selectors: [{name: a, selector: {matchLabels: {app: 1}}}]}',
    'workloads: {selectors: [{name: a, selector: ""}, {name: a, selector: ""}]}',
  ];
  const messages = texts.map((text) => [`# ${text}`, ...linesOf(text), ''].join('\n'));
  await expect(messages.join('\n')).toMatchFileSnapshot('../golden/settings-faults.txt');
});

it('a message stays short and on one line for any value', () => {
  const [fault] = faultsOf(`log: {level: "a\\nb${'x'.repeat(1000)}"}`);
  expect(fault?.problem).toMatch(/^found "a\\nbx{50,60}…$/);
});
