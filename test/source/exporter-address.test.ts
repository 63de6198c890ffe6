import { expect, it } from 'vitest';

import { checkedFiles, parseExporter, proxyPath } from '../../src/serve/source/exporter-address.js';

it.each([
  ['http://localhost:9797', 'http://localhost:9797/'],
  ['https://exporter.example/prefix', 'https://exporter.example/prefix'],
])('%s is the URL of an exporter', (text, href) => {
  expect(parseExporter(text)).toMatchObject({ url: { href } });
});

it.each([
  ['monitoring/exporter', '/api/v1/namespaces/monitoring/services/exporter:metrics/proxy'],
  ['monitoring/exporter:9797', '/api/v1/namespaces/monitoring/services/exporter:9797/proxy'],
])('%s is a Service, which is asked at %s', (text, path) => {
  const address = parseExporter(text);
  expect('url' in address ? undefined : proxyPath(address, 'http')).toBe(path);
});

it.each(['', 'exporter', 'a/b/c', 'A/b', 'ftp://host', 'http://user:secret@host', 'http://host?x=1', 'http://host#a'])(
  '"%s" is refused with what is allowed',
  (text) => {
    expect(() => parseExporter(text)).toThrow(/--exporter: found .* allowed: a URL .* or NAMESPACE\/SERVICE/);
  },
);

it.each([
  ['http://user:secret@host', '"http://…@host"'],
  ['http://user:sec/ret@host', '"http://…@host"'],
  ['http://secret@host:9797/prefix', '"http://…@host:9797/prefix"'],
  ['user:secret@host', '"…@host"'],
  ['ftp://user:secret%40host', '"ftp://…"'],
  ['user:secret', '"…"'],
  ['http://host:9797/prefix?token=secret', '"http://host:9797/prefix?…"'],
  ['http://host/?a=1#secret', '"http://host/?…"'],
  ['http://host/#secret?', '"http://host/#…"'],
  ['host:9797', '"host:9797"'],
])('a refused URL is quoted without its password', (text, quoted) => {
  expect(() => parseExporter(text)).toThrow(`--exporter: found ${quoted}, allowed: a URL`);
});

it('an address takes files, and needs none', () => {
  const files = { tokenFile: '/token', caFile: '/ca' };
  const address = parseExporter('https://exporter.example');
  expect(checkedFiles(address, files)).toEqual(files);
  const addresses = [undefined, address, parseExporter('monitoring/exporter')];
  expect(addresses.map((one) => checkedFiles(one, {}))).toEqual(Array(3).fill(undefined));
});

const usual = '-n ephemeral-storage-exporter port-forward service/ephemeral-storage-exporter 9797';
const other = '-n a port-forward service/b';

it.each([
  [undefined, { tokenFile: '/token' }, usual, 'http://127.0.0.1:9797 --exporter-token-file /token'],
  ['a/b', { basicAuthFile: '/a b' }, `${other} 9797`, "http://127.0.0.1:9797 --exporter-basic-auth-file '/a b'"],
  ['a/b:web', { caFile: '/ca' }, `${other} 9797:web`, 'https://127.0.0.1:9797 --exporter-ca-file /ca'],
  [
    'a/b',
    { tokenFile: '/t', caFile: '/c' },
    `${other} 9797`,
    'https://127.0.0.1:9797 --exporter-token-file /t --exporter-ca-file /c',
  ],
])('the Service %s with files is refused with two lines to type: %j', (text, files, forward, flags) => {
  expect(() => checkedFiles(text === undefined ? undefined : parseExporter(text), files)).toThrow(
    `${flags.split(' ')[1]} needs --exporter URL: the API server's proxy passes no credentials on and verifies no certificate. Type:\n` +
      `  kubectl ${forward}\n  … --exporter ${flags}`,
  );
});

it.each([
  ['https://host', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['monitoring/exporter', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['http://host', { caFile: '/ca' }, /--exporter-ca-file needs an --exporter with https/],
])('the address %s refuses the files %j', (text, files, message) => {
  expect(() => checkedFiles(parseExporter(text), files)).toThrow(message);
});
