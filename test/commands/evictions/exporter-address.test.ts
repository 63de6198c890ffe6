import { expect, it } from 'vitest';

import { parseExporter, proxyPath } from '../../../src/commands/evictions/exporter-address.js';

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
