import type { IncomingMessage } from 'node:http';

import { anonymous, type Attributes, type RequestAccess, type User } from '../../sim/access.js';
import type { RealApiServer } from './real-api-server.js';

const group = (name: string, review: string): string => `/apis/${name}.k8s.io/v1/${review}`;

/**
 * As of kubelets with webhooks: TokenReview and SubjectAccessReview. They keep what was allowed for minutes, this for ever.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
export class WebhookAccess implements RequestAccess {
  readonly #server: RealApiServer;
  readonly #users = new Map<string, User>();
  readonly #allowed = new Set<string>();

  constructor(server: RealApiServer) {
    this.#server = server;
  }

  async authenticate({ headers }: IncomingMessage): Promise<User | undefined> {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return anonymous;
    const known = this.#users.get(token);
    if (known !== undefined) return known;
    const status = await this.#review(group('authentication', 'tokenreviews'), 'TokenReview', { token });
    if (status['authenticated'] !== true) return undefined;
    const { username, groups } = status['user'] as { readonly username: string; readonly groups: readonly string[] };
    const user = { name: username, groups };
    this.#users.set(token, user);
    return user;
  }

  async isAllowed(user: User, wanted: Attributes): Promise<boolean> {
    const key = JSON.stringify([user, wanted]);
    if (this.#allowed.has(key)) return true;
    const spec = { user: user.name, groups: user.groups, ...attributesOf(wanted) };
    const status = await this.#review(group('authorization', 'subjectaccessreviews'), 'SubjectAccessReview', spec);
    if (status['allowed'] === true) this.#allowed.add(key);
    return status['allowed'] === true;
  }

  async #review(path: string, kind: string, spec: object): Promise<Readonly<Record<string, unknown>>> {
    const apiVersion = path.split('/').slice(2, 4).join('/');
    const answer = await this.#server.request(path, { method: 'POST', body: { apiVersion, kind, spec } });
    return answer['status'] as Readonly<Record<string, unknown>>;
  }
}

function attributesOf(wanted: Attributes): object {
  if ('path' in wanted) return { nonResourceAttributes: wanted };
  const [resource, subresource] = wanted.resource.split('/');
  return { resourceAttributes: { ...wanted, resource, subresource } };
}
