import { describe, expect, it } from 'vitest';

import { ConfigError } from '../../src/config/faults.js';
import { UserError } from '../../src/lib/base/errors.js';
import { errorOf, faultsOf, linesOf, load, loadText } from './support.js';

const sections = 'cluster, kubelet, cache, workloads, attribution, evictions, metrics, scrape, web, agent, log';
/** Of an assignment. */
const unknownPath = (path: string, hint: string): string => `${path}: unknown path (--set ${path}); ${hint}`;

const cacheKeys = 'allowed: a mapping with any of ttl, nearTtl, maxBackoff';

const prefix = 'EPHEMERAL_STORAGE_EXPORTER_';

function levelsOf(texts: { file?: string; environment?: string; flag?: string }): string {
  return load({
    ...(texts.file === undefined ? {} : { file: { path: 'config.yaml', text: `log: {level: ${texts.file}}` } }),
    environment: { [`${prefix}LOG_LEVEL`]: texts.environment },
    flags: { 'log.level': texts.flag },
  }).log.level;
}

describe('the precedence of sources', () => {
  it.each([
    [{}, 'info'],
    [{ file: 'debug' }, 'debug'],
    [{ file: 'debug', environment: 'warn' }, 'warn'],
    [{ file: 'debug', environment: 'warn', flag: 'error' }, 'error'],
    [{ file: 'debug', flag: 'error' }, 'error'],
    [{ file: 'debug', environment: '' }, 'debug'],
  ])('the level of the log with %j is %s', (texts, expected) => {
    expect(levelsOf(texts)).toBe(expected);
  });

  it('the precedence does not hide the fault of an overridden value', () => {
    const { faults } = errorOf({
      file: { path: 'config.yaml', text: 'log: {level: loud}' },
      environment: { [`${prefix}LOG_LEVEL`]: 'quiet' },
      flags: { 'log.level': 'debug' },
    });
    expect(faults.map(({ problem, source }) => [problem, source])).toEqual([
      ['found "loud"', 'config.yaml:1'],
      ['found "quiet"', `${prefix}LOG_LEVEL`],
    ]);
  });

  it('the precedence applies before the rules between settings are checked', () => {
    const file = { path: 'config.yaml', text: 'cache: {ttl: 5s}' };
    expect(() => load({ file, environment: { [`${prefix}KUBELET_REQUEST_TIMEOUT`]: '4s' } })).not.toThrow();
    expect(errorOf({ file, environment: { [`${prefix}KUBELET_REQUEST_TIMEOUT`]: '6s' } }).message).toBe(
      `kubelet.requestTimeout: found "6s" (${prefix}KUBELET_REQUEST_TIMEOUT); allowed: less than cache.ttl, which is "5s" (config.yaml:1)`,
    );
  });
});

describe('environment', () => {
  it.each([
    ['CACHE_TTL', '0', { cache: { ttlMs: 0 } }],
    ['CACHE_MAX_BACKOFF', '2m', { cache: { maxBackoffMs: 120_000 } }],
    ['KUBELET_TLS_CA_FILE', '/ca.pem', { kubelet: { tls: { caFile: '/ca.pem' } } }],
    ['KUBELET_READ_CONFIG', 'true', { kubelet: { readConfig: true } }],
    ['KUBELET_TLS_INSECURE_SKIP_VERIFY', 'true', { kubelet: { tls: { insecureSkipVerify: true } } }],
    ['KUBELET_MAX_BODY_SIZE', '1Mi', { kubelet: { maxBodyBytes: 1_048_576 } }],
    ['KUBELET_PORT', '10250', { kubelet: { port: 10_250 } }],
    ['KUBELET_ADDRESS_TYPES', 'Hostname, InternalDNS', { kubelet: { addressTypes: ['Hostname', 'InternalDNS'] } }],
    ['CLUSTER_NAMESPACES', 'shop,web', { cluster: { namespaces: ['shop', 'web'] } }],
    ['CLUSTER_NODE_SELECTOR', 'a,!b', { cluster: { nodeSelector: [{ key: 'b' }, { key: 'a' }] } }],
    ['CLUSTER_SKIP_NODES', 'a in (x,y); b', { cluster: { skipNodes: [[{ key: 'a' }], [{ key: 'b' }]] } }],
    ['WORKLOADS_CONTROLLERS', 'false', { workloads: { controllers: false } }],
    ['WEB_LISTEN_ADDRESSES', ':1,[::1]:2', { web: { listenAddresses: [{ port: 1 }, { host: '::1', port: 2 }] } }],
    ['SCRAPE_MAX_IN_FLIGHT', '5', { scrape: { maxInFlight: 5 } }],
    ['ATTRIBUTION', 'even', { attribution: 'even' }],
    ['CLUSTER_NAMESPACES', '[shop, web]', { cluster: { namespaces: ['shop', 'web'] } }],
    ['CLUSTER_NODE_SELECTOR', '{matchLabels: {a: b}}', { cluster: { nodeSelector: [{ key: 'a', values: ['b'] }] } }],
    ['WORKLOADS_SELECTORS', '[{name: a, selector: b}]', { workloads: { selectors: [{ name: 'a' }] } }],
    ['WEB_LISTEN_ADDRESSES', '[::1]:2', { web: { listenAddresses: [{ host: '::1', port: 2 }] } }],
    ['KUBELET_TLS_SERVER_NAME', '{node}', { kubelet: { tls: { serverName: '{node}' } } }],
  ])('the variable %s=%s sets its setting', (name, text, expected) => {
    expect(load({ environment: { [prefix + name]: text } })).toMatchObject(expected);
  });

  it.each([
    ['KUBELET_PORT', 'x', 'kubelet.port', '"x"'],
    ['KUBELET_PORT', '99999', 'kubelet.port', '99999'],
    ['KUBELET_TLS_INSECURE_SKIP_VERIFY', '1', 'kubelet.tls.insecureSkipVerify', '"1"'],
    ['CLUSTER_NAMESPACES', 'shop,', 'cluster.namespaces[1]', 'nothing'],
    ['CACHE_TTL', '-1s', 'cache.ttl', '"-1s"'],
    ['WORKLOADS_SELECTORS', '[{name: a', 'workloads.selectors', '"[{name: a"'],
    ['WORKLOADS_LABELS', '[a, b', 'workloads.labels[0]', '"[a"'],
  ])('the variable %s=%s is a fault', (name, text, path, found) => {
    const { faults } = errorOf({ environment: { [prefix + name]: text } });
    expect(faults[0]).toMatchObject({ path, problem: `found ${found}`, source: prefix + name });
  });

  it.each([
    ['CACHE_TLL', `the name of a setting (did you mean ${prefix}CACHE_TTL?)`],
    ['KUBELET_CA_FILE_OF_ALL_NODES', 'the name of a setting'],
    ['PLUGINS_TOP', 'the name of a setting'],
    ['', 'the name of a setting'],
  ])('a variable with an unknown name is a fault: %s', (name, allowed) => {
    expect(errorOf({ environment: { [prefix + name]: 'x' } }).faults).toEqual([
      { path: prefix + name, problem: 'unknown name', source: 'environment', hint: `allowed: ${allowed}` },
    ]);
  });

  it.each([
    ['SERVICE_HOST', '10.0.0.1'],
    ['SERVICE_PORT', '9797'],
    ['SERVICE_PORT_METRICS', '9797'],
    ['PORT', 'tcp://10.0.0.1:9797'],
    ['PORT_9797_TCP', 'tcp://10.0.0.1:9797'],
    ['PORT_9797_TCP_PROTO', 'tcp'],
    ['PORT_9797_TCP_PORT', '9797'],
    ['PORT_9797_TCP_ADDR', '10.0.0.1'],
    ['HEADLESS_SERVICE_HOST', '10.0.0.1'],
    ['KUBELET_PORT', 'tcp://10.0.0.1:10250'],
  ])('the variables of a Service of the same name are ignored: %s=%s', (name, text) => {
    expect(load({ environment: { [prefix + name]: text } })).toEqual(load({}));
  });
});

it.each([
  ['log.levle', 'the name of a setting (did you mean --log.level?)'],
  ['cache.ttl', 'the name of a setting'],
])('a flag without a setting is a fault: %s', (flag, allowed) => {
  expect(errorOf({ flags: { [flag]: 'x' } }).faults).toEqual([
    { path: `--${flag}`, problem: 'unknown name', source: 'command line', hint: `allowed: ${allowed}` },
  ]);
});

it.each([
  ['cache.ttl=20s', { cache: { ttlMs: 20_000 } }],
  ['cache={ttl: 20s, nearTtl: 5s}', { cache: { ttlMs: 20_000, nearTtlMs: 5000 } }],
  ['kubelet.tls.caFile=/a=b', { kubelet: { tls: { caFile: '/a=b' } } }],
  ['kubelet.bearerTokenFile=', { kubelet: { bearerTokenFile: undefined } }],
  ['cluster.shard=0', { cluster: { shard: 0 } }],
  ['cluster.nodeSelector=a=b,!c', { cluster: { nodeSelector: [{ key: 'c' }, { key: 'a' }] } }],
  ['cluster.namespaces=shop,web', { cluster: { namespaces: ['shop', 'web'] } }],
  ['cluster.namespaces=[shop, web]', { cluster: { namespaces: ['shop', 'web'] } }],
  ['cluster.skipNodes=', { cluster: { skipNodes: [] } }],
  ['workloads.selectors=[{name: a, selector: b}]', { workloads: { selectors: [{ name: 'a' }] } }],
  ['attribution=even', { attribution: 'even' }],
])('the assignment %s sets its setting', (assignment, expected) => {
  expect(load({ assignments: [assignment] })).toMatchObject(expected);
});

it.each([
  [
    'cache.ttl=x',
    'cache.ttl: found "x" (--set cache.ttl); allowed: a duration such as 500ms, 55s or 1h30m, from 100ms to 1h, or 0 to disable caching',
  ],
  ['cache.tll=5s', unknownPath('cache.tll', 'allowed: the path of a setting (did you mean cache.ttl?)')],
  ['cach.ttl=5s', unknownPath('cach.ttl', 'allowed: the path of a setting (did you mean cache.ttl?)')],
  ['log.level.x=5', unknownPath('log.level.x', 'allowed: the path of a setting (did you mean log.level?)')],
  ['cache=5s', `cache: found "5s" (--set cache); ${cacheKeys}`],
  ['cache={ttl: 5', `cache: found "{ttl: 5" (--set cache); ${cacheKeys}`],
  ['cache.ttl', '--set cache.ttl: no value; allowed: PATH=VALUE'],
  ['=5s', '--set =5s: no value; allowed: PATH=VALUE'],
  ['__proto__.a=1', unknownPath('__proto__.a', 'allowed: the path of a setting')],
])('the assignment %s is rejected', (assignment, message) => {
  expect(errorOf({ assignments: [assignment] }).message).toBe(message);
});

it.each([
  ['cache: {tll: 5s}', 'cache.tll', 'ttl, nearTtl, maxBackoff (did you mean ttl?)'],
  ['cache: {size: 5}', 'cache.size', 'ttl, nearTtl, maxBackoff'],
  [
    'kubelet: {tls: {cafile: /a}}',
    'kubelet.tls.cafile',
    'caFile, certFile, keyFile, serverName, insecureSkipVerify (did you mean caFile?)',
  ],
  [
    'workloads: {selectors: [{name: a, selector: {}, namespace: [b]}]}',
    'workloads.selectors[0].namespace',
    'name, selector, namespaces (did you mean namespaces?)',
  ],
  ['cache:\nttl: 5s', 'ttl', `${sections} (did you mean cache.ttl?)`],
  ['"a\\nb": 1', '"a\\nb"', sections],
  ['"cache.ttl": 5s', 'cache.ttl', sections],
])('the unknown key in %s is named, with what is allowed', (text, path, allowed) => {
  expect(faultsOf(text)).toMatchObject([{ path, problem: 'unknown key', hint: `allowed: ${allowed}` }]);
});

it.each(['__proto__: {a: 1}', 'constructor: 1', '<<: {log: {level: debug}}'])(
  'unknown keys are rejected: %s',
  (text) => {
    expect(faultsOf(text)).toMatchObject([{ problem: 'unknown key' }]);
  },
);

it.each(['', '\n', '# nothing\n', '---\n', '~', '{}', '\uFEFF'])(
  'a text without settings has all defaults: %j',
  (text) => {
    expect(loadText(text)).toEqual(load({}));
  },
);

it('the file may begin with a byte order mark', () => {
  expect(loadText('\uFEFFcache: {ttl: 30s}').cache.ttlMs).toBe(30_000);
});

it.each([
  ['- a', 'a list'],
  ['text', '"text"'],
  ['5', '5'],
])('the file must contain a mapping, not %j', (text, found) => {
  expect(linesOf(text)).toEqual([`config.yaml:1: found ${found}; allowed: a mapping with any of ${sections}`]);
});

it('the file is named with the line of each fault', () => {
  const text = `
cluster:
  namespaces:
    - shop
    - Shop
workloads:
  selectors:
    - name: a
      selector: {}
    -
      selector:
        matchLabels:
          app: 1
      extra: 1
log:
  level: loud
`;
  expect(faultsOf(text).map(({ path, source }) => `${path} ${source}`)).toEqual([
    'cluster.namespaces[1] config.yaml:5',
    'workloads.selectors[1].name config.yaml:11',
    'workloads.selectors[1].selector config.yaml:11',
    'workloads.selectors[1].extra config.yaml:14',
    'log.level config.yaml:16',
  ]);
});

it('the file is named with the line and column of a YAML error', () => {
  const [fault] = faultsOf('cache:\n\tttl: 5s\n');
  expect(fault).toMatchObject({ path: '', source: 'config.yaml:2:1' });
  expect(fault?.problem).toMatch(/^invalid YAML: Tabs are not allowed/);
});

it('a file of two documents is reported in words of people', () => {
  const [fault] = faultsOf('cache: {}\n---\nlog: {}\n');
  expect(fault?.problem).toBe('invalid YAML: the file has several documents');
});

it('the file must not contain duplicate keys', () => {
  expect(linesOf('cache:\n  ttl: 5m\n  ttl: 6m\nlog: {}\ncache: {}\n')).toEqual([
    'cache.ttl: duplicate key (config.yaml:3:3); allowed: each key once (line 2 has it already)',
    'cache: duplicate key (config.yaml:5:1); allowed: each key once (line 1 has it already)',
  ]);
});

it.each([
  ['tags', 'log: {level: !secret debug}'],
  ['two documents', 'log: {}\n---\nlog: {}'],
  ['keys that are not text', '? [a]\n: b'],
  ['an alias without its anchor', 'log: *a'],
  ['a list without end', 'cluster: {namespaces: ['],
])('a file with %s is rejected', (_case, text) => {
  const faults = faultsOf(text);
  expect(faults.length).toBeGreaterThan(0);
  for (const fault of faults) {
    expect(fault.path).toBe('');
    expect(fault.problem).toMatch(/^invalid YAML: ./);
    expect(fault.source).toMatch(/^config\.yaml/);
  }
});

describe('a password in the settings', () => {
  const inLinks = [
    'Grafana=https://user:PASSWORD@host',
    'Grafana=https://user:PASS/WORD@host',
    'https://PASSWORD@host',
    'Grafana=https://user:PASS;WORD@host',
    'Grafana=https://user:12PASS; WORD/=x@host',
  ];
  it.each([
    ...inLinks.map((link) => ({ file: { path: 'config.yaml', text: `web: {links: [${JSON.stringify(link)}]}` } })),
    ...inLinks.map((link) => ({ environment: { [`${prefix}WEB_LINKS`]: link } })),
    ...inLinks.map((link) => ({ assignments: [`web.links=Other=https://host; ${link}`] })),
    { assignments: [`web.links=[Grafana=https://user:PASSWORD@host`] },
    { assignments: ['https://user:PASSWORD@host'] },
    { assignments: ['https://user:PASSWORD@host=1'] },
    { file: { path: 'config.yaml', text: 'web: {links: *PASSWORD}' } },
    { file: { path: 'config.yaml', text: 'web: {links: !PASSWORD}' } },
  ])('a password in the settings is not in the message about it: %j', (sources) => {
    expect(errorOf(sources).message).not.toMatch(/PASS|WORD/);
  });

  it('a password that ends at the comma of a list is not in the message', () => {
    const file = { path: 'config.yaml', text: 'web: {links: [Grafana=https://user:PASS,WORD@host]}' };
    expect(errorOf({ file }).message).not.toMatch(/PASS|WORD/);
  });

  it('a password has no effect on where other links end', () => {
    const text = 'A=https://a; B=https://user:PASS;WORD@b; C=https://c; D=https://d?x=y@z; E=ftp://e';
    expect(
      errorOf({ environment: { [`${prefix}WEB_LINKS`]: text } }).message.match(/web\.links\[\d\]: found "[^"]*"/g),
    ).toEqual(['web.links[1]: found "B=https://…@b"', 'web.links[4]: found "E=ftp://e"']);
  });

  it('a password leaves the rest of the link in the message', () => {
    const file = { path: 'config.yaml', text: 'web: {links: ["Grafana=https://user:PASS@WORD@host/d"]}' };
    expect(errorOf({ file }).message).toContain('web.links[0]: found "Grafana=https://…@host/d" (config.yaml:1)');
  });
});

describe('hostile files', () => {
  const levels = 'a b c d e f g h i'.split(' ');
  const bomb = levels
    .map(
      (name, level) =>
        `${name}: &${name} [${Array(9)
          .fill(level === 0 ? 'x' : `*${levels[level - 1] ?? ''}`)
          .join(', ')}]`,
    )
    .join('\n');
  const mebibyte = 2 ** 20;

  it.each([
    ['an alias bomb', bomb],
    ['deep nesting', '['.repeat(20_000)],
    ['deep mappings', 'a: {'.repeat(10_000)],
    ['many unknown keys', Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join('')],
    ['one key many times', 'log: {}\n'.repeat(20_000)],
    ['a list of many faults', `cluster: {namespaces: [${'A,'.repeat(20_000)}]}`],
    ['a list of itself', 'cluster: {namespaces: &n [*n]}'],
    ['a mapping of itself', 'log: &l {level: *l}'],
    ['a selector of itself', 'cluster: {nodeSelector: &s {matchLabels: *s}}'],
    ['a long word', `log: {level: ${'x'.repeat(500_000)}}`],
    ['a long number', `cache: {ttl: ${'9'.repeat(500_000)}}`],
    ['a long selector', `cluster: {nodeSelector: "${'('.repeat(500_000)}"}`],
    ['a long label value', `cluster: {nodeSelector: a=${'x'.repeat(500_000)}}`],
    ['a long key', `? ${'x'.repeat(500_000)}\n: 1`],
    ['a long name of an alias', `log: *${'x'.repeat(500_000)}`],
    ['a long path', `web: {telemetryPath: "${'/a'.repeat(250_000)}!"}`],
    ['more than it may hold', `#${' '.repeat(mebibyte)}`],
  ])('a hostile file is rejected with a short message: %s', (_case, text) => {
    expect(errorOf({ file: { path: 'config.yaml', text } }).message.length).toBeLessThan(15_000);
  });

  it('a hostile file does not change prototypes', () => {
    const text = '__proto__: {polluted: 1}\ncache: {__proto__: {polluted: 1}}\nconstructor: {prototype: {polluted: 1}}';
    expect(faultsOf(text)).toHaveLength(3);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('the file may be as large as a ConfigMap, and no larger', () => {
    const text = `#${' '.repeat(mebibyte - 1)}`;
    expect(loadText(text)).toEqual(load({}));
    expect(linesOf(`${text} `)).toEqual(['config.yaml: found 1048577 bytes; allowed: at most 1Mi']);
  });
});

it('the error contains the faults of all sources, with a line for each', () => {
  const error = errorOf({
    file: {
      path: 'config.yaml',
      text: 'cluster: {nodeSelector: "(", podSelector: "="}\ncache: {ttl: 5s, x: 1}\nkubelet: {requestTimeout: 5s}\n',
    },
    environment: { [`${prefix}ATTRIBUTION`]: 'odd', [`${prefix}NOTHING`]: '1' },
    flags: { 'log.format': 'xml' },
  });
  expect(error).toBeInstanceOf(ConfigError);
  expect(error).toBeInstanceOf(UserError);
  expect(error.faults.map((fault) => fault.path)).toEqual([
    'cache.x',
    'cluster.nodeSelector',
    'cluster.podSelector',
    `${prefix}NOTHING`,
    'attribution',
    'log.format',
    'kubelet.requestTimeout',
  ]);
  expect(error.message.split('\n')).toHaveLength(7);
});

it('the error shows the first 50 faults and counts the others', () => {
  const keys = Array.from({ length: 60 }, (_, index) => `k${index}: 1\n`).join('');
  const error = errorOf({ file: { path: 'config.yaml', text: keys } });
  expect(error.faults).toHaveLength(60);
  expect(error.message.split('\n')).toHaveLength(51);
  expect(error.message).toMatch(/\nand 10 more$/);
});

it('the settings are deeply frozen', () => {
  const config = loadText('workloads: {selectors: [{name: a, selector: "app=b"}]}');
  const check = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    expect(Object.isFrozen(value)).toBe(true);
    Object.values(value).forEach(check);
  };
  check(config);
});
