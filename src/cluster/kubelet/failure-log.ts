import type { Clock } from '../../lib/base/clock.js';
import type { RequestError } from '../../lib/base/errors.js';
import type { Logger } from '../../lib/base/logger.js';
import { groupBy } from '../../lib/base/maps.js';
import { joinTruncated } from '../../lib/base/text.js';

export interface FailureLogOptions {
  /** Messages for one node and for several. */
  readonly failed: LogMessage;
  readonly recovered: LogMessage;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface LogMessage {
  readonly one: string;
  readonly many: string;
}

export type FailureLevel = 'info' | 'warn';

interface FailedNode {
  readonly node: string;
  readonly level: FailureLevel;
  readonly error: RequestError;
}

/** When many nodes become unreachable at once, their requests fail within about this time, in milliseconds. */
const gatherMs = 1_000;

const exampleCount = 3;

/**
 * Logs that kubelets fail and recover: one line for all nodes that fail for the same reason at about the same time, with
 * their number and the first names. Lines are written a second after the first failure, or on disposal.
 */
export class FailureLog implements Disposable {
  readonly #options: FailureLogOptions;
  readonly #lifetime = new AbortController();
  #failed: FailedNode[] = [];
  #recovered: string[] = [];
  #isWaiting = false;

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  failed(node: string, level: FailureLevel, error: RequestError): void {
    this.#failed.push({ node, level, error });
    this.#writeSoon();
  }

  recovered(node: string): void {
    this.#recovered.push(node);
    this.#writeSoon();
  }

  /** From then on, lines are written at once. */
  [Symbol.dispose](): void {
    this.#lifetime.abort(new Error('the log is closed'));
    this.#write();
  }

  #writeSoon(): void {
    if (this.#lifetime.signal.aborted) this.#write();
    if (this.#isWaiting || this.#lifetime.signal.aborted) return;
    this.#isWaiting = true;
    const write = (): void => {
      this.#isWaiting = false;
      this.#write();
    };
    void this.#options.clock.sleep(gatherMs, this.#lifetime.signal).then(write, write);
  }

  #write(): void {
    const [failed, recovered] = [this.#failed, this.#recovered];
    this.#failed = [];
    this.#recovered = [];
    for (const group of groupBy(failed, levelAndReason).values()) this.#writeFailed(group);
    this.#writeRecovered(recovered);
  }

  #writeFailed(group: readonly [FailedNode, ...FailedNode[]]): void {
    const { failed, logger } = this.#options;
    const [{ node, level, error }] = group;
    const cause = { reason: error.reason, error: error.message };
    if (group.length === 1) logger[level](failed.one, { node, ...cause });
    else logger[level](failed.many, { ...manyNodes(group.map((one) => one.node)), ...cause });
  }

  #writeRecovered(nodes: readonly string[]): void {
    const { recovered, logger } = this.#options;
    if (nodes.length === 1) logger.info(recovered.one, { node: nodes[0] });
    else if (nodes.length > 1) logger.info(recovered.many, manyNodes(nodes));
  }
}

function levelAndReason({ level, error }: FailedNode): string {
  return `${level} ${error.reason}`;
}

function manyNodes(names: readonly string[]): { readonly nodeCount: number; readonly nodes: string } {
  return { nodeCount: names.length, nodes: joinTruncated(names.toSorted(), exampleCount) };
}
