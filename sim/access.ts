import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';

import type { Random } from './model/random.js';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** A rule as in a Role or ClusterRole; `*` stands for all. Subresources are written `nodes/stats`. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  /** The namespaces of its RoleBindings; without them, the rule applies to the whole cluster. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** The attributes of a request. */
export type Attributes =
  | {
      readonly verb: string;
      readonly resource: string;
      readonly group?: string;
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
    }
  | { readonly verb: string; readonly path: string };

export interface TokenRequest {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Replaces the user's previous rules. */
  readonly rules: readonly Rule[];
}

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

const authenticatedGroup = 'system:authenticated';
const adminGroup = 'system:masters';
const publicPaths = ['/healthz', '/livez', '/readyz', '/version'];
const discoveryRules: readonly Rule[] = [
  { verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi/*', ...publicPaths] },
  { verbs: ['create'], resources: ['selfsubjectaccessreviews'] },
];

/** Authentication and authorization for the API server and the kubelets: tokens, client certificates, rules by user. */
export class AccessControl {
  readonly #random: Random;
  readonly #users = new Map<string, User>();
  readonly #rules = new Map<string, readonly Rule[]>();

  constructor(random: Random) {
    this.#random = random;
  }

  issueToken({ user, groups = [], rules }: TokenRequest): string {
    const token = this.#random.hex(40);
    this.#users.set(token, { name: user, groups: [...groups, authenticatedGroup] });
    this.#rules.set(user, rules);
    return token;
  }

  /** Invalidates the token. */
  revokeToken(token: string): void {
    this.#users.delete(token);
  }

  setRules(user: string, rules: readonly Rule[]): void {
    this.#rules.set(user, rules);
  }

  userOf(token: string): User | undefined {
    return this.#users.get(token);
  }

  /** Undefined for an unknown token; anonymous without credentials. */
  authenticate(request: IncomingMessage): User | undefined {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
    if (bearer !== null) return this.userOf(bearer[1] ?? '');
    return certificateUser(request) ?? anonymous;
  }

  isAllowed(user: User, wanted: Attributes): boolean {
    if (user.groups.includes(adminGroup)) return true;
    if ('path' in wanted && publicPaths.includes(wanted.path)) return true;
    const general = user.groups.includes(authenticatedGroup) ? discoveryRules : [];
    return [...general, ...(this.#rules.get(user.name) ?? [])].some((rule) => grants(rule, wanted));
  }
}

function certificateUser({ socket }: IncomingMessage): User | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const subject: Readonly<Record<string, string | string[] | undefined>> = { ...socket.getPeerCertificate().subject };
  const name = [subject['CN'] ?? []].flat().join();
  return { name, groups: [...[subject['O'] ?? []].flat(), authenticatedGroup] };
}

function grants(rule: Rule, wanted: Attributes): boolean {
  if (!matches(rule.verbs, wanted.verb)) return false;
  if ('path' in wanted) return (rule.nonResourceURLs ?? []).some((pattern) => isUnder(pattern, wanted.path));
  return (
    grantsResource(rule, wanted.resource) &&
    (rule.resourceNames === undefined || (wanted.name !== undefined && rule.resourceNames.includes(wanted.name))) &&
    (rule.namespaces === undefined || (wanted.namespace !== undefined && rule.namespaces.includes(wanted.namespace)))
  );
}

function grantsResource({ resources = [] }: Rule, resource: string): boolean {
  const subresource = resource.split('/')[1];
  return matches(resources, resource) || (subresource !== undefined && resources.includes(`*/${subresource}`));
}

function matches(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

function isUnder(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}
