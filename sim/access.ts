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
  /** Whom the token is for. Default: the API server. */
  readonly audiences?: readonly string[];
}

interface Token {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Who sends a request, and what the user may do. */
export interface RequestAccess {
  /** Undefined for an unknown token; anonymous without credentials. */
  authenticate(request: IncomingMessage): Promise<User | undefined> | User | undefined;
  isAllowed(user: User, wanted: Attributes): Promise<boolean> | boolean;
}

/** https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/#options (--api-audiences) */
export const apiAudience = 'https://kubernetes.default.svc.cluster.local';

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

const authenticatedGroup = 'system:authenticated';
const adminGroup = 'system:masters';
const publicPaths = ['/healthz', '/livez', '/readyz', '/version'];
const discoveryRules: readonly Rule[] = [
  { verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi/*', ...publicPaths] },
  { verbs: ['create'], resources: ['selfsubjectaccessreviews'] },
];

/** Authentication and authorization for the API server and the kubelets: tokens, client certificates, rules by user. */
export class AccessControl implements RequestAccess {
  readonly #random: Random;
  readonly #tokens = new Map<string, Token>();
  readonly #rules = new Map<string, readonly Rule[]>();

  constructor(random: Random) {
    this.#random = random;
  }

  issueToken({ user, groups = [], rules, audiences }: TokenRequest): string {
    this.#rules.set(user, rules);
    return this.issueTokenOf({ name: user, groups }, audiences);
  }

  /** Keeps the rules of the user. */
  issueTokenOf({ name, groups }: User, audiences: readonly string[] = [apiAudience]): string {
    const token = this.#random.hex(40);
    this.#tokens.set(token, { user: { name, groups: [...groups, authenticatedGroup] }, audiences });
    return token;
  }

  setRules(user: string, rules: readonly Rule[]): void {
    this.#rules.set(user, rules);
  }

  /** Undefined for an unknown token, or one for others; otherwise its user, and for which of these audiences it is. */
  review(token: string, audiences: readonly string[] = [apiAudience]): Token | undefined {
    const known = this.#tokens.get(token);
    const common = known?.audiences.filter((audience) => audiences.includes(audience)) ?? [];
    return known === undefined || common.length === 0 ? undefined : { user: known.user, audiences: common };
  }

  authenticate(request: IncomingMessage): User | undefined {
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
    if (bearer !== null) return this.review(bearer[1] ?? '')?.user;
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
  // A resumed session counts as authorized, with or without a certificate.
  if (name === '') return undefined;
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
