import type { IncomingMessage } from 'node:http';

import { anonymous, type Attributes, type RequestAccess, type User } from '../../sim/access.js';
import { SimulatedCluster } from '../../sim/cluster.js';
import type { Scenario } from '../../sim/model/scenario.js';
import type { SimulatedPod } from '../../sim/model/simulated-pod.js';
import type { Clock } from '../../src/lib/base/clock.js';
import { RealApiServer } from './real-api-server.js';
import { RealObjects } from './real-objects.js';

const group = (name: string, review: string): string => `/apis/${name}.k8s.io/v1/${review}`;

/**
 * As of kubelets with webhooks: TokenReview and SubjectAccessReview. They keep what was allowed for minutes, this for ever.
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
 */
class WebhookAccess implements RequestAccess {
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

interface Parts {
  readonly server: RealApiServer;
  readonly simulated: SimulatedCluster;
  readonly objects: RealObjects;
}

/**
 * A real API server with simulated kubelets. Each change of the simulated cluster's model becomes a request to the real
 * API server, as of controllers, schedulers and kubelets. The kubelets know a pod by the UID that it was given there, and
 * authorize requests by reviews there. Nobody uses the simulated API server.
 */
export class RealCluster implements AsyncDisposable {
  readonly server: RealApiServer;
  readonly simulated: SimulatedCluster;
  readonly #objects: RealObjects;

  private constructor({ server, simulated, objects }: Parts) {
    this.server = server;
    this.simulated = simulated;
    this.#objects = objects;
  }

  /** Resolves when the API server has the objects of the scenario. */
  static async start(options: { readonly scenario?: Scenario; readonly clock?: Clock } = {}): Promise<RealCluster> {
    const server = await RealApiServer.start();
    const objects = new RealObjects(server);
    const kubeletAccess = new WebhookAccess(server);
    const kubeletUidOf = (pod: SimulatedPod): string | undefined => objects.kubeletUidOf(pod);
    const simulated = await SimulatedCluster.start({ ...options, kubeletAccess, kubeletUidOf });
    const cluster = new RealCluster({ server, simulated, objects });
    try {
      objects.follow(simulated.objects);
      await cluster.settled();
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  /** Resolves when the API server has the objects of the model. Rejects when it has refused one. */
  async settled(): Promise<void> {
    await this.#objects.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.simulated[Symbol.asyncDispose]();
    await this.#objects.settled().catch(() => undefined);
    await this.server[Symbol.asyncDispose]();
  }
}
