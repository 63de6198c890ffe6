import * as z from 'zod/mini';

import { RequestError } from '../../base/errors.js';
import { evictionCauses } from '../../history/eviction-record.js';
import { parseJson } from '../../json/json.js';
import { verdictKinds } from '../../node/disk-verdict.js';
import type { ListPage } from '../../query/list-page.js';
import type { EvictionReport } from '../../report/eviction-report.js';

const bytes = z.optional(z.number());
const infinite = z.pipe(
  z.literal('+Inf'),
  z.transform(() => Infinity),
);

const lastUsage = z.looseObject({
  fetchedAtMs: z.number(),
  ageMs: z.number(),
  usedBytes: bytes,
  inodesUsed: bytes,
  isPending: z.boolean(),
  components: z.optional(
    z.object({ rootfs: z.number(), logs: z.number(), emptydir: z.number(), configmap: z.number(), other: z.number() }),
  ),
  containers: z.array(
    z.looseObject({ container: z.string(), usedBytes: z.number(), rootfsBytes: bytes, logsBytes: bytes }),
  ),
  volumes: z.array(
    z.looseObject({
      volume: z.string(),
      type: z.string(),
      medium: z.string(),
      usedBytes: bytes,
      isCounted: z.boolean(),
    }),
  ),
  limits: z.array(
    z.looseObject({
      rule: z.enum(['emptydir', 'pod', 'container']),
      container: z.optional(z.string()),
      volume: z.optional(z.string()),
      usedBytes: z.number(),
      limitBytes: z.number(),
      ratio: z.union([z.number(), infinite]),
    }),
  ),
  samples: z.array(z.looseObject({ atMs: z.number(), usedBytes: z.number() })),
  growthBytesPerSecond: bytes,
  limitForAnHourBytes: bytes,
});

/** Of an exporter that is newer, kinds may be new: only the texts are shown. */
const verdict = z.looseObject({
  kind: z.catch(z.enum(verdictKinds), 'unknown'),
  text: z.string(),
  commands: z.array(z.string()),
});

const eviction = z.looseObject({
  namespace: z.string(),
  pod: z.string(),
  node: z.string(),
  uid: z.string(),
  labels: z._default(z.record(z.string(), z.string()), {}),
  workloads: z.array(z.looseObject({ workload: z.string(), workloadType: z.string(), workloadNamespace: z.string() })),
  cause: z.catch(z.enum(evictionCauses), 'other'),
  container: z.optional(z.string()),
  volume: z.optional(z.string()),
  limitBytes: bytes,
  verdict: z.optional(verdict),
  message: z.string(),
  evictedAtMs: z.number(),
  seenAtMs: z.number(),
  diskPressure: z.optional(z.boolean()),
  lastUsage: z.optional(lastUsage),
  unknownUsageReason: z.catch(z.optional(z.enum(['before_start', 'not_measured', 'no_exporter'])), undefined),
});

const page = z.looseObject({ items: z.array(eviction), totalCount: z.number() });

/** A part of the evictions, and how many there are. */
type ReceivedEvictions = Pick<ListPage<EvictionReport>, 'items' | 'totalCount'>;

/** The evictions in a response of an exporter, which may be newer than this program. Throws RequestError `decode`. */
export function decodeEvictions(body: Buffer, what: string): ReceivedEvictions {
  const received = parseJson(body.toString(), () => new RequestError('decode', `${what}: not JSON`));
  const { data, error } = page.safeParse(received);
  if (error === undefined) return data as ReceivedEvictions; // types of volumes may be new: they are texts here
  const [issue] = error.issues;
  throw new RequestError(
    'decode',
    `${what}: not a list of evictions: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}
