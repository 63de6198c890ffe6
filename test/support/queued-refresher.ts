import { BackgroundRefresher } from '../../src/cluster/kubelet/background-refresher.js';
import { silentLogger } from '../../src/lib/base/logger.js';
import { WorkQueue } from '../../src/lib/base/work-queue.js';
import { atOnce } from './lanes.js';

interface QueuedRefresher {
  readonly refresher: BackgroundRefresher;
  readonly queue: WorkQueue;
}

type QueuedRefresherOptions = Omit<
  ConstructorParameters<typeof BackgroundRefresher>[0],
  'findNode' | 'schedule' | 'background'
> &
  Partial<Pick<ConstructorParameters<typeof BackgroundRefresher>[0], 'background'>>;

/** A refresher with a queue for it alone, which nothing holds unless `background` does. */
export function queuedRefresher(options: QueuedRefresherOptions): QueuedRefresher {
  const refresher = new BackgroundRefresher({
    background: atOnce,
    ...options,
    findNode: (name) => [...options.nodes()].find((node) => node.name === name),
    schedule: (nodeName, delayMs) => {
      queue.add(nodeName, delayMs);
    },
  });
  const queue = new WorkQueue({
    kind: 'refresh',
    handle: (nodeName) => refresher.refresh(nodeName),
    clock: options.clock,
    random: () => 0,
    logger: silentLogger,
    onRetry: () => {
      throw new Error('a refresh must not fail');
    },
  });
  return { refresher, queue };
}
