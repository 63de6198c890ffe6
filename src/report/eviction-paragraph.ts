import { oneLine } from '../base/text.js';
import { formatAge, formatBytes, formatTime } from '../base/units.js';
import { causeText, eventText, unknownUsageText } from './eviction-cause-text.js';
import type { EvictionReport, LastUsageReport } from './eviction-report.js';
import { componentOrder } from './pod-report.js';

/** Tells an eviction in one paragraph without markup, for the channel of an incident. */
export function evictionParagraph(eviction: EvictionReport, clusterName: string): string {
  const { namespace, pod, node, evictedAtMs, verdict, workloads, lastUsage, message } = eviction;
  const of = workloads.map(({ workload, workloadType }) => `${workloadType} ${workload}`).join(', ');
  const what = eventText(eviction) === 'refused' ? 'refused by' : 'evicted from';
  return oneLine(
    [
      `Pod ${namespace}/${pod}${of === '' ? '' : ` (${of})`} was ${what} node ${node} of cluster ${clusterName} at ${formatTime(evictedAtMs)}: ${causeText(eviction)}.`,
      verdict?.text ?? '',
      lastUsage === undefined ? unknownUsageText(eviction) : usageText(lastUsage),
      `Kubelet: ${message.trim()}`,
    ].join(' '),
    maxLength,
  );
}

/** More than the longest message that is kept, and names. */
const maxLength = 4_000;

function usageText(usage: LastUsageReport): string {
  const { usedBytes, components, ageMs, growthBytesPerSecond: rate } = usage;
  const parts = components && componentOrder.filter((name) => components[name] > 0);
  const made = parts?.map((name) => `${name} ${formatBytes(components?.[name])}`).join(', ') ?? '';
  const growth = rate === undefined || rate <= 0 ? '' : ` It grew ${formatBytes(Math.round(rate * 60))} a minute.`;
  return `It used ${formatBytes(usedBytes)}${made === '' ? '' : ` (${made})`} when it was last measured, ${formatAge(ageMs)} before.${growth}`;
}
