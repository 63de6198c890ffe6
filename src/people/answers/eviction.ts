import { formatAge } from '../../lib/base/units.js';
import { type Block, type BlockOf, bytes, count, type Document, type DocumentPart, share } from '../pens/document.js';
import { causeText, eventText, isOfNode, isRefusal, rulesOf } from '../report/eviction-cause-text.js';
import { evictionHint, type LastUsageReport, ownBytes, type ShownEviction } from '../report/eviction-report.js';
import { type LimitReport, limitSubject, limitText } from '../report/limit-report.js';
import { growthText, perMinute } from '../report/pod-growth.js';
import { explainNode } from '../report/verdict-commands.js';
import { workloadLine } from '../report/workload-report.js';
import { factList, namespaceLink, nodeLink, podLink, section, table, text } from './parts.js';
import { componentTable, usageBar } from './pod-parts.js';

/** What a pod was evicted for, and what it used before. `notListed`: why later evictions may be missing. */
export function evictionDocument(eviction: ShownEviction, notListed?: string): Document {
  const { namespace, pod, lastUsage } = eviction;
  const event = eventText(eviction) === 'refused' ? 'Refusal' : 'Eviction';
  return {
    title: [`${event} of pod`, `${namespace}/${pod}`],
    blocks: [
      verdict(eviction),
      facts(eviction, notListed),
      ...(lastUsage === undefined
        ? [section({ id: 'usage', title: 'Usage' }, [text(unknownUsageText(eviction))])]
        : usageSections(lastUsage, eviction)),
    ],
  };
}

/** The message of the kubelet where there is no sentence. */
function verdict(eviction: ShownEviction): DocumentPart {
  const { text: sentence = messageOf(eviction), commands = [] } = eviction.verdict ?? {};
  const tone = eventText(eviction) === 'refused' ? 'warning' : 'critical';
  const hint = evictionHint(eviction);
  const ofNode = isOfNode(eviction) && eviction.node !== '' ? [explainNode(eviction.node)] : [];
  return {
    is: 'verdict',
    tone,
    lines: hint === undefined ? [sentence] : [sentence, hint],
    commands: [...new Set([...commands, ...ofNode])],
  };
}

function messageOf({ message }: ShownEviction): string {
  return message.trim();
}

function facts(eviction: ShownEviction, notListed: string | undefined): DocumentPart {
  const { namespace, node, workloads, evictedAtMs, ageMs, diskPressure, seenAtMs, uid } = eviction;
  return factList({
    [eventText(eviction) === 'refused' ? 'Refused' : 'Evicted']: [{ atMs: evictedAtMs }, `, ${formatAge(ageMs)} ago`],
    Cause: causeText(eviction),
    Message: eviction.verdict === undefined ? undefined : messageOf(eviction),
    Pod: podLink(eviction),
    Node: node === '' ? 'unknown' : nodeLink(node),
    Namespace: namespaceLink(namespace),
    Workloads: workloadLine(workloads),
    ...lastMeasured(eviction.lastUsage),
    DiskPressure: diskPressure === undefined ? 'unknown' : String(diskPressure),
    Seen: { atMs: seenAtMs },
    UID: uid,
    'API server': notListed === undefined ? undefined : { text: notListed, tone: 'warning' },
  });
}

function lastMeasured(usage: LastUsageReport | undefined): BlockOf<'facts'>['facts'] {
  if (usage === undefined) return {};
  const { fetchedAtMs, ageMs, usedBytes, inodesUsed } = usage;
  return {
    'Last measured': [{ atMs: fetchedAtMs }, `, ${formatAge(ageMs)} before`],
    Used: usedBytes === undefined ? 'without a total' : [bytes(usedBytes), ' (', count(usedBytes), ' bytes)'],
    Inodes: inodesUsed === undefined ? undefined : count(inodesUsed),
  };
}

/** Why nothing is known of what the pod used. */
function unknownUsageText({ unknownUsageReason, cause }: ShownEviction): string {
  switch (unknownUsageReason) {
    case 'before_start':
      return 'The exporter was started after the eviction: what the pod used is unknown.';
    case 'no_exporter':
      return 'Only the status of the pod was read: what it used is known to an exporter that ran at the time.';
    case 'not_measured':
    case undefined:
      return isRefusal({ cause })
        ? 'Nothing of the pod ran.'
        : 'The pod was evicted before a summary of its node listed it: what it used is unknown.';
  }
}

function usageSections(usage: LastUsageReport, eviction: ShownEviction): readonly DocumentPart[] {
  const { samples, limits, containers, volumes } = usage;
  const limit = eviction.cause === 'pod_limit' ? eviction.limitBytes : undefined;
  const curve = { name: 'Total', samples: samples.map(({ atMs, usedBytes: amount }) => ({ atMs, amount })), limit };
  return [
    section({ id: 'usage', title: 'Usage' }, componentBlocks(usage, limit)),
    section({ id: 'growth', title: 'Growth' }, [
      ...(samples.length < 2 ? [] : [{ is: 'curves', unit: 'bytes', curves: [curve] } as const]),
      ...(isGrowthSaid(eviction) ? [] : [text(growthText(samples))]),
    ]),
    ...(limits.length === 0
      ? []
      : [section({ id: 'limits', title: 'Limits, as last measured' }, [limitTable(limits, eviction)])]),
    ...(containers.length + volumes.length === 0
      ? []
      : [section({ id: 'parts', title: 'Containers and volumes' }, [partTable(usage)])]),
  ];
}

function isGrowthSaid({ verdict: known, lastUsage }: ShownEviction): boolean {
  const rate = lastUsage?.growthBytesPerSecond;
  return rate !== undefined && known?.text.includes(perMinute(rate)) === true;
}

function componentBlocks(
  { components, usedBytes, isPending }: LastUsageReport,
  limitBytes: number | undefined,
): readonly Block[] {
  if (components === undefined || usedBytes === undefined) return [text('The kubelet reported no total.')];
  const pending = 'The kubelet had not measured its volumes yet: they are missing from the total.';
  return [
    ...(isPending ? [{ ...text(pending), tone: 'warning' as const }] : []),
    ...usageBar({ components, usedBytes, limitBytes }),
    componentTable(components, usedBytes),
  ];
}

function limitTable(limits: readonly LimitReport[], { cause, container, volume }: ShownEviction): Block {
  const isExceeded = (of: LimitReport): boolean =>
    of.rule === rulesOf[cause] && of.container === container && of.volume === volume;
  return table(
    { caption: 'Limits' },
    [
      { title: 'Limit of', minWidth: 8, cell: limitSubject },
      { title: 'Used', isNumber: true, rank: 3, cell: (of) => bytes(of.usedBytes) },
      { title: 'Limit', isNumber: true, rank: 2, cell: limitText },
      { title: 'Ratio', isNumber: true, cell: (of) => share(of.ratio) },
      { title: 'Note', rank: 1, cell: (of) => (isExceeded(of) ? 'exceeded' : '') },
    ],
    limits,
  );
}

/** A container without its share of volumes, which are listed too. */
function partTable({ containers, volumes }: LastUsageReport): Block {
  return {
    is: 'table',
    caption: 'Containers and volumes',
    columns: [
      { title: 'Part', minWidth: 9 },
      { title: 'Used', isNumber: true },
      { title: 'Of it', rank: 1 },
    ],
    rows: [
      ...containers.map((of) => ({
        cells: [
          `container ${of.container}`,
          bytes(ownBytes(of)),
          ['files ', bytes(of.rootfsBytes), ', logs ', bytes(of.logsBytes)],
        ],
      })),
      ...volumes.map(({ volume, type, medium, usedBytes, isCounted }) => ({
        cells: [
          `${type}${medium === '' ? '' : ` (${medium})`} ${volume}`,
          bytes(usedBytes),
          isCounted ? 'in the total' : 'not in the total',
        ],
      })),
    ],
  };
}
