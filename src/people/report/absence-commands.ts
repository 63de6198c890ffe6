import type { AbsenceReason } from '../../facts/node/node-view.js';
import { shellWord } from '../../lib/base/text.js';
import { isInKubeletLog } from './absence-hints.js';
import { rawCommand } from './verdict-commands.js';

/** Returns what to run next for a node without data, complete: the node as the cluster has it, its kubelet, and the kubelet's log. */
export function absenceCommands(
  reason: AbsenceReason,
  nodeName: string,
  failure: { readonly message: string } | undefined,
): readonly string[] {
  if (reason === 'skipped' || reason === 'internal_error') return [];
  if (reason === 'no_node') return ['kubectl get nodes'];
  return [
    `kubectl describe node ${shellWord(nodeName)}`,
    rawCommand(nodeName, 'stats/summary'),
    ...(isInKubeletLog(reason, failure)
      ? [`ssh ${shellWord(nodeName)} 'sudo journalctl -u kubelet -n 100 --no-pager'`]
      : []),
  ];
}
