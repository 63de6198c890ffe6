import { setMaxListeners } from 'node:events';

import type { Clock } from '../base/clock.js';
import type { ApiTransport } from '../http/api-client.js';
import type { Node, Pod } from '../kube/objects.js';
import { watchesAllNamespaces } from './cluster-wide-pods.js';
import type { Reflector } from './reflector.js';
import type { Resource } from './resource-path.js';

/** One list and watch. */
interface Part {
  readonly name: string;
  readonly resource: Resource;
  /** '' for all namespaces. */
  readonly namespace: string;
  readonly reflector: Reflector<Node> | Reflector<Pod>;
}

interface UnsyncedPart extends Pick<Part, 'name' | 'resource' | 'namespace'> {
  /** Of the last failure; undefined while the first list is under way. */
  readonly reason: string | undefined;
  /** The last error, or that the first list is under way. */
  readonly message: string;
  /** Since the store has tried to list it, in milliseconds. */
  readonly forMs: number;
}

/** After this time, namespaces whose pods cannot be listed do not hold back the others. */
const partialAfterMs = 30_000;

export interface StoreListsOptions {
  readonly api: ApiTransport;
  readonly clock: Clock;
  /** Empty: all namespaces, in one watch. Otherwise one watch for each, or one for all of more than 10 where that is allowed. */
  readonly namespaces: readonly string[];
  readonly nodes: Reflector<Node>;
  /** Undefined: of all namespaces. */
  readonly podsIn: (namespace: string | undefined) => Reflector<Pod>;
  /** Called with the namespaces of the watches of pods, '' for all: at once, and again when there are others instead. */
  readonly onPodScopes: (scopes: readonly string[]) => void;
}

/** The lists and watches of a store: how pods are watched, which first lists are missing, and why. */
export class StoreLists {
  readonly #options: StoreListsOptions;
  readonly #startedAtMs: number;
  readonly #nodes: Part;
  #pods: readonly Part[];
  /** Resolves when it is known how pods are watched. */
  readonly #chosen: Promise<void>;
  #resolveChosen: () => void = () => undefined;
  #unlistedNamespaces: readonly string[];

  constructor(options: StoreListsOptions) {
    const { clock, namespaces, nodes } = options;
    this.#options = options;
    this.#startedAtMs = clock.monotonicMs();
    this.#chosen = new Promise((resolve) => {
      this.#resolveChosen = resolve;
    });
    this.#unlistedNamespaces = namespaces;
    this.#nodes = { name: 'nodes', resource: 'nodes', namespace: '', reflector: nodes };
    this.#pods = this.#podParts(namespaces.length === 0 ? [''] : namespaces);
  }

  /** Resolves when all reflectors have ended after the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    setMaxListeners(0, signal); // each watch has one
    await Promise.all([this.#nodes.reflector.run(signal), this.#runPods(signal)]);
  }

  /** Lists the newest state at the next attempt, once: see {@link Reflector.relist}. */
  relist(resource: Resource): void {
    for (const part of this.#parts) if (part.resource === resource) part.reflector.relist();
  }

  /** Resolves when the nodes in scope have been listed once. */
  async listedNodes(): Promise<void> {
    await this.#nodes.reflector.firstList.synced;
  }

  /** Resolves when all nodes and pods in scope have been listed once. */
  async synced(): Promise<void> {
    await this.#chosen;
    await Promise.all(this.#parts.map(({ reflector }) => reflector.firstList.synced));
  }

  /** Resolves when each list has succeeded once, or failed for a reason that does not go away by itself. */
  async settled(): Promise<void> {
    await this.#chosen;
    await Promise.all(this.#parts.map(({ reflector }) => reflector.firstList.settled));
  }

  /** Whether all nodes and pods in scope have been listed once. */
  get isComplete(): boolean {
    return this.#parts.every(isSynced);
  }

  /**
   * Whether there is something to serve: all nodes and pods in scope have been listed once, or, 30 s after the start, the
   * nodes and the pods of at least one namespace. Never false again.
   */
  get hasSynced(): boolean {
    if (!this.haveNodes) return false;
    return this.#pods.every(isSynced) || (this.#ageMs >= partialAfterMs && this.#pods.some(isSynced));
  }

  /** Whether the nodes in scope have been listed once. */
  get haveNodes(): boolean {
    return isSynced(this.#nodes);
  }

  /** The namespaces in scope whose pods have not been listed yet: the same array until one of them is. */
  unlistedNamespaces(): readonly string[] {
    const unlisted = this.#unlistedNamespaces.filter((namespace) =>
      this.#pods.some((part) => part.namespace === namespace && !isSynced(part)),
    );
    if (unlisted.length < this.#unlistedNamespaces.length) this.#unlistedNamespaces = unlisted;
    return this.#unlistedNamespaces;
  }

  /** `nodes`, and `pods` or `pods in NAMESPACE`. */
  get names(): readonly string[] {
    return this.#parts.map(({ name }) => name);
  }

  /** Whether the API server cannot be reached, as far as lists and watches show. */
  get isServerAway(): boolean {
    return this.#parts.some(({ reflector }) => reflector.isServerAway);
  }

  unsynced(): readonly UnsyncedPart[] {
    return this.#parts
      .filter((part) => !isSynced(part))
      .map(({ reflector: { lastFailure }, ...part }) => ({
        ...part,
        reason: lastFailure?.reason,
        message: lastFailure?.message ?? 'the first list is under way',
        forMs: this.#ageMs,
      }));
  }

  get #parts(): readonly Part[] {
    return [this.#nodes, ...this.#pods];
  }

  get #ageMs(): number {
    return this.#options.clock.monotonicMs() - this.#startedAtMs;
  }

  #podParts(namespaces: readonly string[]): readonly Part[] {
    const { podsIn, onPodScopes } = this.#options;
    const parts = namespaces.map((namespace) => ({
      name: namespace === '' ? 'pods' : `pods in ${namespace}`,
      resource: 'pods' as const,
      namespace,
      reflector: podsIn(namespace === '' ? undefined : namespace),
    }));
    onPodScopes(namespaces);
    return parts;
  }

  async #runPods(signal: AbortSignal): Promise<void> {
    const isAtOnce = await watchesAllNamespaces(this.#options, signal).catch(() => false);
    if (isAtOnce) this.#pods = this.#podParts(['']);
    this.#resolveChosen();
    await Promise.all(this.#pods.map(({ reflector }) => reflector.run(signal)));
  }
}

function isSynced({ reflector }: Part): boolean {
  return reflector.hasSynced;
}
