import { messageOf } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { retainKeys } from '../../lib/base/maps.js';

/**
 * Exceptions while a node's data or text is made. They are bugs that the data of one node brings to light, and cost that
 * node alone: it is absent with a reason of its own, until its data changes.
 */
export class NodeFaults {
  readonly #logger: Pick<Logger, 'error'>;
  /** Of which no text can be made: snapshots of nodes, and what the API server knows of them. */
  readonly #sources = new WeakSet<object>();
  /** By the name of the node: the last one in the log. */
  readonly #logged = new Map<string, string>();

  constructor(logger: Pick<Logger, 'error'>) {
    this.#logger = logger;
  }

  /** `source`: of the text that cannot be made. Logs once for each node, and again for another error. */
  add(nodeName: string, error: unknown, source?: object): void {
    if (source !== undefined) this.#sources.add(source);
    const message = messageOf(error);
    if (this.#logged.get(nodeName) === message) return;
    this.#logged.set(nodeName, message);
    this.#logger.error('node is absent because of an error in the exporter: please report it', {
      node: nodeName,
      error: message,
    });
  }

  /** Whether no text can be made of it. */
  has(source: object): boolean {
    return this.#sources.has(source);
  }

  /** Forgets all other nodes. */
  retain(nodeNames: ReadonlySet<string>): void {
    retainKeys(this.#logged, nodeNames);
  }
}
