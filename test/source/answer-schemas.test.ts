// @module-tag sockets

import { beforeAll, expect, it } from 'vitest';

import { toJson } from '../../src/lib/json/json.js';
import type { ClusterReading } from '../../src/people/query/cluster-reading.js';
import { coverageOf } from '../../src/people/query/coverage.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { viewOf } from '../../src/people/status/views.js';
import { AnswerSchemas } from '../../src/serve/source/answer-schemas.js';
import type { CommandKind } from '../../src/serve/source/view-source.js';
import { anEvictionRecord } from '../support/eviction-builders.js';
import { settingsOf } from '../support/exporter.js';
import { atOnce } from '../support/lanes.js';
import { readSimulated } from '../support/simulated-reading.js';
import { aStatus } from '../support/status-builders.js';

let schemas: AnswerSchemas;
let reading: ClusterReading;

beforeAll(async () => {
  const prepare = (cluster: { setFault: (node: string, fault: 'status:503') => Promise<void> }) =>
    cluster.setFault('node-2', 'status:503');
  const found = await readSimulated({ ageMs: 900_000, prepare });
  const records = [anEvictionRecord(), anEvictionRecord({ pod: 'late', lastUsage: 'no_exporter' })];
  reading = { ...found, evictions: records.map((record) => evictionReport(record)) };
  schemas = await AnswerSchemas.read();
});

type Answer = Readonly<Record<string, unknown>>;

/** As an exporter sends it. */
async function answerOf(kind: CommandKind, path: readonly string[] = []): Promise<Answer> {
  const { data } = await viewOf(
    { kind, path, parameters: {} },
    {
      status: aStatus(),
      reading,
      settings: settingsOf(''),
      lane: atOnce,
    },
  );
  return JSON.parse(toJson({ generatedAtMs: 0, coverage: coverageOf(reading), ...data })) as Answer;
}

/** The answer with another value at the place. */
function changed(answer: Answer, place: string, value: unknown): unknown {
  const copy = structuredClone(answer) as Record<string, unknown>;
  const parts = place.split('.');
  const last = parts.pop() ?? '';
  const parent = parts.reduce((object, part) => object[part] as Record<string, unknown>, copy);
  parent[last] = value;
  return copy;
}

it.each([
  ['nodes', 'totalCount', undefined],
  ['nodes', 'totalCount', 'many'],
  ['nodes', 'coverage', undefined],
  ['nodes', 'coverage.freshNodeCount', null],
  ['nodes', 'coverage.absences.0.hint', undefined],
  ['workloads', 'items.0.isComplete', undefined],
  ['workloads', 'items.1.usedBytes', '12'],
  ['namespaces', 'items.0.namespace', 7],
  ['evictions', 'items.0.ageMs', undefined],
] as const)('an answer about %s is refused when %s is %s, and the place is named', async (kind, place, value) => {
  const answer = await answerOf(kind);
  expect(schemas.faultOf(kind, changed(answer, place, value))).toMatch(
    new RegExp(`^${place.replaceAll('.', '\\.')}: `),
  );
});

it.each([null, [], 'html', 7])('the answer %j is refused', (answer) => {
  expect(schemas.faultOf('pods', answer)).toMatch(/^the answer: /);
});

it.each(['futureField', 'coverage.futureField', 'items.0.futureField', 'items.0.filesystems.0.futureField'])(
  'an answer of a newer exporter with the field %s is accepted',
  async (place) => {
    const answer = await answerOf('nodes');
    const items = (answer['items'] as Answer[]).filter((item) => item['state'] === 'fresh');
    expect(schemas.faultOf('nodes', changed({ ...answer, items }, place, { any: 'thing' }))).toBeUndefined();
  },
);
