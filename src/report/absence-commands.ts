import { shellWord } from '../base/text.js';
import type { AbsenceReason } from '../node/node-view.js';
import { rawCommand } from './verdict-commands.js';

/** Returns what to run next for a node without data, complete: the node as the cluster has it, its kubelet, and the kubelet's log. */
export function absenceCommands(reason: AbsenceReason, nodeName: string): readonly string[] {
  if (reason === 'skipped' || reason === 'internal_error') return [];
  if (reason === 'no_node') return ['kubectl get nodes'];
  return [
    `kubectl describe node ${shellWord(nodeName)}`,
    rawCommand(nodeName, 'stats/summary'),
    ...(logReasons.has(reason) ? [`ssh ${shellWord(nodeName)} 'sudo journalctl -u kubelet -n 100 --no-pager'`] : []),
  ];
}

/** Those of the kubelet itself. */
const logReasons: ReadonlySet<AbsenceReason> = new Set(['timeout', 'connection', 'http_status', 'empty']);
