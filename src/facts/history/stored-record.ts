/** A record as a file has it: what a former process wrote, or anybody else. */
import * as z from 'zod/mini';

import { volumeTypes } from '../../cluster/kube/objects.js';
import { evictionSignals } from '../../cluster/kubelet/eviction-signals.js';
import { diskFillers } from '../node/disk-growth.js';
import { verdictKinds } from '../node/disk-verdict.js';
import { limitRules } from '../node/limit-ratios.js';
import { unenforcedReasons } from '../node/unenforced-limits.js';
import type { EvictionRecord } from './eviction-record.js';
import { evictionCauses } from './eviction-snapshot.js';

/** Names become label values, and messages have 2,000 characters. */
const maxTextLength = 2_048;

/** The last moment that a date can be. https://tc39.es/ecma262/#sec-time-values-and-time-range */
const maxTimeMs = 8.64e15;

const text = z.string().check(z.maxLength(maxTextLength));
const labels = z.record(text, text);
const timeMs = z.number().check(z.gte(0), z.lte(maxTimeMs));
/** Also below 0: a component makes up for what the others have beyond the total. */
const amount = z.number();
/** JSON has no infinity. */
const unbounded = z.union([
  amount,
  z.pipe(
    z.literal('+Inf'),
    z.transform(() => Infinity),
  ),
]);

const workload = z.object({
  namespace: text,
  name: text,
  type: text,
  origin: z.union([
    z.object({ source: z.literal('configured') }),
    z.object({ source: z.literal('labels'), labels }),
    z.object({ source: z.literal('controller'), kind: text }),
  ]),
});

const listOf = <S extends z.ZodMiniType>(item: S) => z.readonly(z.array(item));
const bounds = z.object({ least: unbounded, most: unbounded });
const signal = z.enum(evictionSignals);

const growth = z.object({ bytes: amount, durationMs: amount });

const verdict = z.object({
  kind: z.enum(verdictKinds),
  shortage: z.optional(
    z.object({
      signal,
      filesystem: z.enum(['nodefs', 'imagefs', 'containerfs']),
      state: z.enum(['evicting', 'waiting', 'near', 'no_space']),
      gracePeriodMs: amount,
      threshold: amount,
      available: amount,
      missing: amount,
      capacity: z.optional(amount),
      isAssumed: z.boolean(),
    }),
  ),
  pods: z.optional(bounds),
  images: z.optional(bounds),
  first: z.optional(
    z.object({
      workload: z.optional(workload),
      pod: z.object({ namespace: text, name: text, isExempt: z.boolean() }),
      amount,
      growth: z.optional(growth),
    }),
  ),
  cause: z.optional(z.object({ filler: z.enum(diskFillers), growth: z.optional(growth) })),
  remainder: z.optional(z.object({ holder: z.enum(['other', 'images', 'exempt']), bytes: amount })),
  unknownPart: z.optional(z.enum(['unread_pods', 'unmeasured_pods', 'images', 'owners', 'condition'])),
  unreadPodCount: z.optional(amount),
  alsoBelow: listOf(signal),
  ageMs: z.optional(amount),
});

const known = z.optional(amount);

const usage = z.object({
  usedBytes: amount,
  inodesUsed: z.optional(amount),
  components: z.object({ rootfs: known, logs: known, emptydir: known, configmap: known, other: known }),
  volumesPending: z.boolean(),
  containers: listOf(
    z.object({
      name: text,
      usedBytes: known,
      rootfsBytes: known,
      logsBytes: known,
    }),
  ),
  volumes: listOf(z.object({ name: text, type: z.enum(volumeTypes), medium: text, usedBytes: z.optional(amount) })),
});

const ratio = z.object({
  rule: z.enum(limitRules),
  container: text,
  volume: text,
  usedBytes: amount,
  limitBytes: amount,
  ratio: unbounded,
  unenforced: z.optional(z.enum(unenforcedReasons)),
});

const lastUsage = z.object({
  fetchedAtMs: timeMs,
  usage: z.optional(usage),
  ratios: listOf(ratio),
  samples: listOf(z.object({ atMs: timeMs, usedBytes: amount })),
  growthBytesPerSecond: z.optional(amount),
  limitForAnHourBytes: z.optional(amount),
  nodeCapacityBytes: z.optional(amount),
});

const storedRecord = z.object({
  cause: z.enum(evictionCauses),
  container: text,
  volume: text,
  limitBytes: z.optional(amount),
  shortage: z.optional(z.object({ threshold: amount, available: amount })),
  namespace: text,
  pod: text,
  uid: text,
  node: text,
  labels,
  workloads: listOf(workload),
  message: text,
  evictedAtMs: timeMs,
  seenAtMs: timeMs,
  wasSeenLive: z.boolean(),
  diskPressure: z.optional(z.boolean()),
  lastUsage: z.union([z.enum(['before_start', 'not_measured', 'no_exporter']), lastUsage]),
  nodeVerdict: z.optional(verdict),
});

/** What the schema accepts has all that a record may have: the compiler refuses a record with a value that it does not know. */
export type StoredRecord = z.output<typeof storedRecord>;

/** Undefined for anything that is no record. */
export function recordOf(stored: unknown): EvictionRecord | undefined {
  return storedRecord.safeParse(stored).data as EvictionRecord | undefined; // a field without a value is absent in JSON
}
