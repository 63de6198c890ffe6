/** The text forms of values: sizes, addresses, names. */
import { isIP, isIPv6 } from 'node:net';

import { parseSelector } from '../cluster/kube/selector-parser.js';
import { UserError } from '../lib/base/errors.js';

const sizeUnits = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
] as const;

/** The shortest exact quantity; for whole bytes above 0. */
export function formatSize(bytes: number): string {
  const [unit, unitBytes] = sizeUnits.find(([, candidateBytes]) => bytes % candidateBytes === 0) ?? ['', 1];
  return `${bytes / unitBytes}${unit}`;
}

export interface ListenAddress {
  /** Undefined: all addresses of the machine. */
  readonly host: string | undefined;
  /** 0: chosen by the operating system. */
  readonly port: number;
}

export const maxPort = 65_535;

const listenAddressForm = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/;

/** `:9797`, `host:9797`, `192.0.2.1:9797` or `[::1]:9797`. Undefined when `text` is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const parts = listenAddressForm.exec(text);
  if (parts === null) return undefined;
  const [, ipv6, name = '', digits] = parts;
  const port = Number(digits);
  if (port > maxPort) return undefined;
  if (ipv6 !== undefined) return isIPv6(ipv6) ? { host: ipv6, port } : undefined;
  if (name === '') return { host: undefined, port };
  return isHostName(name) ? { host: name, port } : undefined;
}

export function formatListenAddress({ host = '', port }: ListenAddress): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}

const hostNameForm = /^[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?$/;

function isHostName(text: string): boolean {
  return text.length <= 253 && hostNameForm.test(text);
}

/**
 * A name that a kubelet's certificate must be valid for; `{node}` stands for the node's name. Not an IP address: TLS
 * clients must not request one (https://www.rfc-editor.org/rfc/rfc6066#section-3), and the address of the connection
 * is verified by default.
 */
export function isServerName(text: string): boolean {
  return isHostName(text.replaceAll('{node}', 'node')) && isIP(text) === 0;
}

const namespaceForm = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
export function isNamespaceName(text: string): boolean {
  return namespaceForm.test(text);
}

/** Whether `text` is a label key only. */
export function isLabelKey(text: string): boolean {
  try {
    const [requirement, ...others] = parseSelector(text);
    return others.length === 0 && requirement?.operator === 'Exists' && requirement.key === text;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** No segment starts with ".", which HTTP clients resolve, or with "-", which the server uses itself. */
const urlPathForm = /^(?:\/[A-Za-z0-9_][-A-Za-z0-9._~]*)+$/;

export function isUrlPath(text: string): boolean {
  return urlPathForm.test(text);
}
