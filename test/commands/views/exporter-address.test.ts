import { expect, it } from 'vitest';

import { parseExporter, proxyPath, withFiles } from '../../../src/commands/evictions/exporter-address.js';

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
  expect('url' in address ? undefined : proxyPath(address)).toBe(path);
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

it('an address takes files for a URL, and needs none', () => {
  const address = parseExporter('https://exporter.example');
  const files = { tokenFile: '/token', caFile: '/ca' };
  expect(withFiles(address, files)).toEqual({ ...address, files });
  expect([withFiles(address, {}), withFiles(undefined, {})]).toEqual([address, undefined]);
});

it.each([
  ['monitoring/exporter', { tokenFile: '/token' }, /need --exporter URL: .* passes on no credentials/],
  [undefined, { basicAuthFile: '/password' }, /need --exporter URL/],
  [undefined, { caFile: '/ca' }, /need --exporter URL/],
  ['https://host', { tokenFile: '/token', basicAuthFile: '/password' }, /exclude each other/],
  ['http://host', { caFile: '/ca' }, /--exporter-ca-file needs an --exporter with https/],
])('the address %j refuses the files %j', (text, files, message) => {
  const address = text === undefined ? undefined : parseExporter(text);
  expect(() => withFiles(address, files)).toThrow(message);
});
