import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { configHash, formatConfig, listSettings } from '../../src/config/settings.js';
import { load, loadText } from './support.js';

const everything = readFileSync(new URL('../cases/settings/everything.yaml', import.meta.url), 'utf8');

describe('formatConfig', () => {
  it.each([
    ['the defaults', ''],
    ['every setting', everything],
    ['caching off', 'cache: {ttl: 0}'],
    ['the API server in between', 'kubelet: {access: proxy}'],
    ['unchecked certificates', 'kubelet: {tls: {insecureSkipVerify: true}}'],
    ['discovery by labels', 'workloads: {labels: [app]}'],
    ['no node skipped', 'cluster: {skipNodes: []}'],
    ['one node alone', 'cluster: {nodeLocal: true}'],
  ])('the printed settings yield the same settings: %s', (_case, text) => {
    const config = loadText(text);
    expect(loadText(formatConfig(config))).toEqual(config);
    expect(formatConfig(loadText(formatConfig(config)))).toBe(formatConfig(config));
  });

  it('durations and sizes are printed in their text form', () => {
    const text = formatConfig(loadText('cache: {ttl: 90s, maxBackoff: 0}\nkubelet: {maxBodySize: 33554432}'));
    expect(text).toContain('cache:\n  ttl: 1m30s\n  nearTtl: 10s\n  maxBackoff: 5m\n');
    expect(text).toContain('  maxBodySize: 32Mi\n');
  });

  it('what belongs to one process alone is not printed: no file has it', () => {
    const process = load({ flags: { node: 'node-1', 'web.listen-address': [':1'], 'web.enable-lifecycle': true } });
    expect(formatConfig(process)).toBe(formatConfig(load({})));
    expect(configHash(process)).not.toBe(configHash(load({})));
  });
});

it('the hash is equal for equal settings in different notations', () => {
  const hash = configHash(loadText('cache: {ttl: 1m, maxBackoff: 5m}\nlog: {level: info}'));
  expect(configHash(loadText('log:\ncache:\n  ttl: 60s\n'))).toBe(hash);
  expect(configHash(load({ environment: { EPHEMERAL_STORAGE_EXPORTER_CACHE_TTL: '60000ms' } }))).toBe(hash);
});

it.each(['cache: {ttl: 56s}', 'attribution: even', 'workloads: {selectors: [{name: a, selector: {}}]}'])(
  'the hash differs from that of the defaults: %s',
  (text) => {
    expect(configHash(loadText(text))).not.toBe(configHash(load({})));
  },
);

it('the hash is a whole number of 48 bits', () => {
  const hash = configHash(load({}));
  expect(Number.isSafeInteger(hash)).toBe(true);
  expect(hash).toBeGreaterThan(0);
  expect(hash).toBeLessThan(2 ** 48);
});

it('the settings contain no secret: those of credentials name files', () => {
  const suspects = listSettings().filter(({ path }) =>
    /token|password|secret|credential|key|cert|ca(?=[A-Z]|$)/.test(path),
  );
  expect(suspects.map(({ path }) => path).filter((path) => !path.endsWith('File'))).toEqual([]);
  expect(suspects.length).toBeGreaterThan(2);
  expect(listSettings().filter(({ allowed, help }) => /\bURL/.test(`${allowed} ${help}`))).toEqual([]);
});

it('each setting has a help text, a default and the allowed values', () => {
  for (const row of listSettings()) {
    expect(row.help).toMatch(/^[A-Z].*[.…]$/);
    expect(row.allowed).not.toBe('');
    expect(row.defaultText).not.toBe('');
  }
});

// docs/settings.md has names and defaults of them all, but what is allowed.
it.each([
  ['cluster.shard', { allowed: 'a whole number from 0 to 999' }],
  ['log.level', { allowed: 'debug, info, warn or error' }],
  ['workloads.selectors[].selector', { environmentName: undefined, defaultText: 'required' }],
  ['workloads.selectors[].namespaces', { environmentName: undefined, defaultText: '[]' }],
])('the setting %s is listed with %j', (path, expected) => {
  expect(listSettings().find((row) => row.path === path)).toMatchObject(expected);
});
