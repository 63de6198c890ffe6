import { expect, it } from 'vitest';

import { checkedFiles, parseExporter, proxyPath } from '../../../src/commands/views/exporter-address.js';

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
  const addresses = [parseExporter('https://exporter.example'), parseExporter('monitoring/exporter')];
  expect(addresses.map((address) => checkedFiles(address, files))).toEqual([files, files]);
  expect([undefined, ...addresses].map((address) => checkedFiles(address, {}))).toEqual(Array(3).fill(undefined));
});

it.each([
  [{ tokenFile: '/token' }, '--exporter-token-file'],
  [{ basicAuthFile: '/password', caFile: '/ca' }, '--exporter-basic-auth-file'],
])('credentials are for an exporter that is named, and no other: %j', (files, flag) => {
  const message = `${flag} needs --exporter: credentials are for an exporter that is named`;
  expect(() => checkedFiles(undefined, files)).toThrow(message);
  expect(checkedFiles(undefined, { caFile: '/ca' })).toEqual({ caFile: '/ca' });
});

it.each([
  ['https://host', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['monitoring/exporter', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['http://host', { caFile: '/ca' }, /--exporter-ca-file needs an --exporter with https/],
])('the address %s refuses the files %j', (text, files, message) => {
  expect(() => checkedFiles(parseExporter(text), files)).toThrow(message);
});
