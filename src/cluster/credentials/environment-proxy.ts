import { BlockList, isIP } from 'node:net';

import { UserError } from '../../lib/base/errors.js';
import { withoutUserInfo } from '../../lib/base/text.js';

/**
 * The proxy for connections to a server, as kubectl finds it: `$HTTPS_PROXY` for https servers, `$HTTP_PROXY` for http ones,
 * with `http://` where there is no scheme; the names in lower case come first. Undefined for hosts of `$NO_PROXY`,
 * `localhost` and loopback addresses. https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 * Throws UserError for a proxy that is not a URL of a known protocol.
 */
export function environmentProxy(server: URL, environment: Readonly<NodeJS.ProcessEnv>): URL | undefined {
  const variable = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = variableOf(variable, environment);
  if (text === '' || isExcluded(server, variableOf('NO_PROXY', environment))) return undefined;
  return proxyUrlOf(text.includes('://') ? text : `http://${text}`, `$${variable}`);
}

function variableOf(name: string, environment: Readonly<NodeJS.ProcessEnv>): string {
  const values = [environment[name.toLowerCase()], environment[name]];
  return values.find((value) => value !== undefined && value !== '')?.trim() ?? '';
}

/**
 * Entries are `10.0.0.0/8`, `10.1.2.3`, `example.com` with its subdomains, `.example.com` or `*.example.com`; all but the first
 * with a port, or `*`.
 */
function isExcluded(server: URL, noProxy: string): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  const isAddress = isIP(host) !== 0;
  if (host === 'localhost' || (isAddress && isInAny(['127.0.0.0/8', '::1/128'], host))) return true;
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => {
    if (entry === '*' || (isAddress && isInAny([entry], host))) return true;
    const [name, wantedPort = port] = splitPort(entry);
    if (wantedPort !== port || name === '') return false;
    return isAddress ? isIP(name) !== 0 && isInAny([name], host) : isOfDomain(host, name.replace(/^\*(?=\.)/, ''));
  });
}

/** Name or address, without brackets, and port; an IPv6 address without brackets has none. */
function splitPort(entry: string): readonly [name: string, port?: string | undefined] {
  const match = /^(?:\[(?<address>[^\]]*)\]|(?<name>[^:]*)):(?<port>[^:]*)$/.exec(entry)?.groups;
  return match === undefined ? [entry] : [match['address'] ?? match['name'] ?? '', match['port']];
}

function isOfDomain(host: string, domain: string): boolean {
  return domain.startsWith('.') ? host.endsWith(domain) : `.${host}`.endsWith(`.${domain}`);
}

/** Ranges or addresses that are none are left out. */
function isInAny(ranges: readonly string[], address: string): boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix, ...rest] = range.split('/');
    const family = familyOf(network);
    const maxPrefix = family === 'ipv4' ? 32 : 128;
    if (isIP(network) === 0 || rest.length > 0) continue;
    if (prefix === undefined) list.addAddress(network, family);
    else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix) list.addSubnet(network, Number(prefix), family);
  }
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Throws UserError for another text; `what` names it. Credentials are not part of the message. */
export function proxyUrlOf(text: string, what: string): URL {
  return urlOf(text, what, ['http:', 'https:', 'socks5:', 'socks5h:']);
}

/** Throws UserError unless the text is a URL of one of the protocols; `what` names it. Credentials are not part of the message. */
export function urlOf(text: string, what: string, protocols: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && protocols.includes(url.protocol)) return url;
  const found = url === undefined ? withoutUserInfo(text) : url.protocol;
  throw new UserError(`${what} "${found}" must begin with ${protocols.join(', ')}`);
}
