import type { Clock } from '../../lib/base/clock.js';
import type { RequestError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { groupBy } from '../../lib/base/maps.js';
import { joinTruncated } from '../../lib/base/text.js';

interface LogEntry {
  readonly node: string;
  readonly level: 'info' | 'warn';
  readonly text: readonly [one: string, many: string];
  /** Undefined of a node that has recovered. */
  readonly cause: { readonly reason: string; readonly error: string } | undefined;
}

/** When many nodes become unreachable at once, their requests fail within about this time, in milliseconds. */
const gatherMs = 1_000;

const exampleCount = 3;

/**
 * Logs that kubelets fail and recover: one line for all nodes that fail for the same reason at about the same time, with
 * their number and the first names. Lines are written a second after the first failure, or on disposal.
 */
export class FailureLog implements Disposable {
  readonly #options;
  readonly #lifetime = new AbortController();
  #entries: LogEntry[] = [];

  constructor(options: {
    /** Messages for one node and for several. */
    readonly failed: LogEntry['text'];
    readonly recovered: LogEntry['text'];
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  failed(node: string, level: LogEntry['level'], { reason, message }: RequestError): void {
    this.#add({ node, level, text: this.#options.failed, cause: { reason, error: message } });
  }

  recovered(node: string): void {
    this.#add({ node, level: 'info', text: this.#options.recovered, cause: undefined });
  }

  /** From then on, lines are written at once. */
  [Symbol.dispose](): void {
    this.#lifetime.abort(new Error('the log is closed'));
    this.#write();
  }

  #add(entry: LogEntry): void {
    this.#entries.push(entry);
    const write = (): void => {
      this.#write();
    };
    if (this.#lifetime.signal.aborted) write();
    else if (this.#entries.length === 1)
      void this.#options.clock.sleep(gatherMs, this.#lifetime.signal).then(write, write);
  }

  #write(): void {
    const entries = this.#entries;
    this.#entries = [];
    const groups = groupBy(entries, ({ level, cause }) => `${level} ${cause?.reason ?? ''}`);
    for (const group of groups.values()) {
      const [{ node, level, text, cause }] = group;
      const [one, many] = text;
      const names = group.map((entry) => entry.node).toSorted();
      const nodes = { nodeCount: names.length, nodes: joinTruncated(names, exampleCount) };
      if (names.length === 1) this.#options.logger[level](one, { node, ...cause });
      else this.#options.logger[level](many, { ...nodes, ...cause });
    }
  }
}
