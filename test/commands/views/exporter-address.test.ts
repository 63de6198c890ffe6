import { expect, it } from 'vitest';

import { checkedFiles, parseExporter, proxyPath, usualFirst } from '../../../src/commands/views/exporter-address.js';

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
  const addresses = [undefined, parseExporter('https://exporter.example'), parseExporter('monitoring/exporter')];
  expect(addresses.map((address) => checkedFiles(address, files))).toEqual([files, files, files]);
  expect(addresses.map((address) => checkedFiles(address, {}))).toEqual([undefined, undefined, undefined]);
});

it.each([
  ['https://host', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['monitoring/exporter', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['http://host', { caFile: '/ca' }, /--exporter-ca-file needs an --exporter with https/],
])('the address %s refuses the files %j', (text, files, message) => {
  expect(() => checkedFiles(parseExporter(text), files)).toThrow(message);
});

it('of several Services, those of the usual name are first, of them that in the usual namespace', () => {
  const usual = 'ephemeral-storage-exporter';
  const names = [
    ['default', 'x'],
    ['monitoring', usual],
    [usual, 'other'],
    [usual, usual],
  ] as const;
  const services = names.map(([namespace, service]) => ({ namespace, service, port: 'metrics' }));
  expect(usualFirst(services).map(({ namespace, service }) => `${namespace}/${service}`)).toEqual([
    `${usual}/${usual}`,
    `monitoring/${usual}`,
    `${usual}/other`,
    'default/x',
  ]);
});
