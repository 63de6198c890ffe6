import type { LogFields, Logger } from '../base/logger.js';

/** A list that fails so will fail again: who waits for an answer should rather hear of it at once. */
const finalReasons: ReadonlySet<unknown> = new Set(['unauthorized', 'forbidden', 'tls', 'connection', 'not_found']);

/** Remembers what a command that runs once says at its end: why lists and kubelets gave nothing. */
export class FaultLog {
  readonly #nodeErrors = new Map<string, string>();
  #isListRefused = false;

  readonly logger: Logger = {
    debug: () => undefined,
    info: (_message, fields) => {
      this.#note(fields);
    },
    warn: (_message, fields) => {
      this.#note(fields);
    },
    error: (_message, fields) => {
      this.#note(fields);
    },
  };

  /** The last error of each node that had one. */
  get nodeErrors(): ReadonlyMap<string, string> {
    return new Map(this.#nodeErrors);
  }

  /** Forgets the nodes that are not among `nodeNames`. */
  retain(nodeNames: ReadonlySet<string>): void {
    for (const nodeName of this.#nodeErrors.keys()) {
      if (!nodeNames.has(nodeName)) this.#nodeErrors.delete(nodeName);
    }
  }

  /** Whether a list failed for a reason that does not go away by itself. */
  get isListRefused(): boolean {
    return this.#isListRefused;
  }

  #note({ node, resource, reason, error }: LogFields = {}): void {
    if (typeof node === 'string' && typeof error === 'string') this.#nodeErrors.set(node, error);
    if (resource !== undefined && finalReasons.has(reason)) this.#isListRefused = true;
  }
}
