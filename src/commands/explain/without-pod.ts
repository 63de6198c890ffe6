import { UsageError, UserError } from '../../base/errors.js';
import { didYouMean } from '../../config/suggestion.js';
import type { EvictionSignal } from '../../kubelet/eviction-signals.js';
import type { NodeExplanation } from '../../query/node-explanation.js';
import { unreadPodsText } from '../../report/signal-report.js';
import { quotedName } from '../text/not-found.js';
import { terminalText } from '../text/terminal-text.js';

/** A node as it would be without a pod, for each of its signals with a threshold. */
export interface NodeWithoutPod {
  readonly namespace: string;
  readonly pod: string;
  readonly signals: readonly {
    readonly signal: EvictionSignal;
    /** In bytes or inodes: what the pod's end frees, and what is left above the threshold then. */
    readonly freed: number;
    readonly headroom: number;
    /** It would still evict pods. */
    readonly isCrossed: boolean;
  }[];
}

/** `name`: `NAMESPACE/POD`. Throws UsageError for another form, UserError for a pod that is not on the node. */
export function withoutPod(node: NodeExplanation, name: string): NodeWithoutPod {
  const [namespace = '', pod = '', ...others] = name.split('/');
  if (namespace === '' || pod === '' || others.length > 0) {
    throw new UsageError(`--without: found "${terminalText(name)}", allowed: NAMESPACE/POD`);
  }
  const { signals, unreadPodCount } = node;
  if (unreadPodCount !== undefined) throw new UserError(`--without: unknown, ${unreadPodsText(unreadPodCount)}`);
  const victims = signals.flatMap((signal) => signal.victims ?? []);
  if (!victims.some((victim) => victim.namespace === namespace && victim.pod === pod)) {
    const names = victims.map((victim) => `${victim.namespace}/${victim.pod}`);
    throw new UserError(`no pod "${quotedName(name)}" on node ${terminalText(node.node)}${didYouMean(name, names)}`);
  }
  return {
    namespace,
    pod,
    signals: signals.flatMap(({ signal, headroom, victims: ranked = [] }) => {
      const freed = ranked.find((victim) => victim.namespace === namespace && victim.pod === pod)?.freed ?? 0;
      if (headroom === undefined) return [];
      return [{ signal, freed, headroom: headroom + freed, isCrossed: headroom + freed < 0 }];
    }),
  };
}
