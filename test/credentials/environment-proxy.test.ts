import { expect, it } from 'vitest';

import { environmentProxy } from '../../src/cluster/credentials/environment-proxy.js';
import { UserError } from '../../src/lib/base/errors.js';

const proxyOf = (server: string, environment: Readonly<Record<string, string>>): string | undefined =>
  environmentProxy(new URL(server), environment)?.href;

const api = 'https://api.test';

it.each<[string, string, Record<string, string>, string | undefined]>([
  ['is none without variables', api, {}, undefined],
  ['is $HTTPS_PROXY for https', api, { HTTPS_PROXY: 'http://p:3128', HTTP_PROXY: 'http://x' }, 'http://p:3128/'],
  [
    'is $HTTP_PROXY for http',
    'http://api.test',
    { HTTPS_PROXY: 'http://x', HTTP_PROXY: 'http://p:3128' },
    'http://p:3128/',
  ],
  ['is not $HTTP_PROXY for https', api, { HTTP_PROXY: 'http://p:3128' }, undefined],
  ['is not $ALL_PROXY', api, { ALL_PROXY: 'http://p:3128' }, undefined],
  ['is that in lower case first', api, { HTTPS_PROXY: 'http://x', https_proxy: 'http://p' }, 'http://p/'],
  ['is that in upper case when the other is empty', api, { HTTPS_PROXY: 'http://p', https_proxy: '' }, 'http://p/'],
  ['is an HTTP proxy without a scheme', api, { HTTPS_PROXY: 'user:pw@p:3128' }, 'http://user:pw@p:3128/'],
  ['may be SOCKS', api, { HTTPS_PROXY: 'socks5://p:1080' }, 'socks5://p:1080'],
  ['is none for localhost', 'https://localhost:6443', { HTTPS_PROXY: 'http://p' }, undefined],
  ['is none for loopback addresses', 'https://127.8.9.10:6443', { HTTPS_PROXY: 'http://p' }, undefined],
  ['is none for the loopback address of IPv6', 'https://[::1]:6443', { HTTPS_PROXY: 'http://p' }, undefined],
])('the proxy of the environment %s', (_case, server, environment, expected) => {
  expect(proxyOf(server, environment)).toBe(expected);
});

it.each([
  [api, '*'],
  [api, 'other, api.test'],
  ['https://API.test', 'Api.Test'],
  [api, 'test'],
  [api, '.test'],
  [api, '*.test'],
  [api, 'api.test:443'],
  ['https://api.test:6443', '.test:6443'],
  ['http://api.test', 'api.test:80'],
  ['https://10.1.2.3', '10.1.2.3'],
  ['https://10.1.2.3', '10.0.0.0/8'],
  ['https://10.1.2.3:6443', '10.1.2.3:6443'],
  ['https://[2001:db8::1]', '2001:db8::1'],
  ['https://[2001:db8::1]', '2001:db8::/32'],
  ['https://[2001:db8::1]:6443', '[2001:db8::1]:6443'],
  ['https://10.1.2.3', '10.0.0.0/99,10.1.2.3'],
])('no proxy is used for %s with the $NO_PROXY %s', (server, noProxy) => {
  const proxies = { HTTPS_PROXY: 'http://p', HTTP_PROXY: 'http://p' };
  expect(proxyOf(server, { ...proxies, NO_PROXY: noProxy })).toBeUndefined();
  expect(proxyOf(server, { ...proxies, no_proxy: noProxy, NO_PROXY: 'x' })).toBeUndefined();
});

it.each([
  [api, ''],
  [api, ' , ,:443'],
  [api, 'pi.test'],
  ['https://test', '.test'],
  ['https://test', '*.test'],
  [api, 'api.test.other'],
  [api, 'api.test:6443'],
  [api, '*.other,a*'],
  ['https://10.1.2.3', '10.1.2'],
  ['https://10.1.2.3', '2.3'],
  ['https://10.1.2.3', '10.1.2.3:6443'],
  ['https://10.1.2.3', '11.0.0.0/8'],
  ['https://10.1.2.3', '10.0.0.0/99'],
  ['https://10.1.2.3', '10.0.0.0/8/8'],
  ['https://[2001:db8::1]', '2001:db9::/32'],
  ['https://[2001:db8::1]', '[2001:db8::1]:6443'],
])('the proxy is used for %s with the $NO_PROXY %j', (server, noProxy) => {
  expect(proxyOf(server, { HTTPS_PROXY: 'http://p', NO_PROXY: noProxy })).toBe('http://p/');
});

it.each([
  ['ftp://user:secret@p', '$HTTPS_PROXY "ftp:" must begin with http:, https:, socks5:, socks5h:'],
  ['http://user:secret@p:x', '$HTTPS_PROXY "http://…@p:x" must begin with http:'],
])('the proxy %s of the environment is refused', (proxy, message) => {
  const read = (): unknown => proxyOf(api, { HTTPS_PROXY: proxy });
  expect(read).toThrow(UserError);
  expect(read).toThrow(message);
});
