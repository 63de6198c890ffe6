import { expect, it } from 'vitest';

import { filteredSeries, type ListLabels, seriesFilter, type SeriesQuestion } from '../../src/report/series-filter.js';

const ofPods: ListLabels = { names: [['namespace', 'pod']], hasWorkloads: true };

function selected(question: Partial<SeriesQuestion>, labels = ofPods): string {
  return filteredSeries('f', [], seriesFilter({ search: [], selector: [], ...question }, labels));
}

it.each<[string, Partial<SeriesQuestion>, string]>([
  ['nothing', {}, 'ephemeral_storage_f'],
  ['a namespace', { namespace: 'shop' }, 'ephemeral_storage_f{namespace="shop"}'],
  ['a node', { node: 'node-1' }, 'ephemeral_storage_f{node="node-1"}'],
  [
    'a word, in one of two names',
    { search: ['car'] },
    '(ephemeral_storage_f{namespace=~"(?is).*car.*"} or ephemeral_storage_f{pod=~"(?is).*car.*"})',
  ],
  [
    'a word over both names',
    { search: ['op/ca'], node: 'node-1' },
    'ephemeral_storage_f{node="node-1",namespace=~"(?is).*op",pod=~"(?is)ca.*"}',
  ],
  [
    'two words',
    { search: ['a', 'b'] },
    '((ephemeral_storage_f{namespace=~"(?is).*a.*"} or ephemeral_storage_f{pod=~"(?is).*a.*"}) and (ephemeral_storage_f{namespace=~"(?is).*b.*"} or ephemeral_storage_f{pod=~"(?is).*b.*"}))',
  ],
  [
    'a workload of any namespace',
    { workload: '-/labels/web' },
    '(ephemeral_storage_f and on (namespace, pod) ephemeral_storage_pod_workload_info{workload_namespace="",workload_type="labels",workload="web"})',
  ],
])('series are selected by %s', (_case, question, expected) => {
  expect(selected(question)).toBe(expected);
});

it('a hostile value stays a value, and a hostile word a text', () => {
  expect(selected({ namespace: 'a"} or vector(1) #\\\n' })).toBe(
    String.raw`ephemeral_storage_f{namespace="a\"} or vector(1) #\\\n"}`,
  );
  expect(selected({ search: [String.raw`"\.x{(`] }, { names: [['node']] })).toBe(
    String.raw`ephemeral_storage_f{node=~"(?is).*\"\\\\\\.x\\{\\(.*"}`,
  );
});

it('what has no namespace of its own may have pods in each', () => {
  const labels: ListLabels = { names: [['namespace', 'workload']], spansNamespaces: true };
  expect(selected({ namespace: 'a.b' }, labels)).toBe(String.raw`ephemeral_storage_f{namespace=~"|a\\.b"}`);
  expect(selected({ search: ['-'] }, labels)).toBe(
    '(ephemeral_storage_f{namespace=~"(?is)(.*-.*)?"} or ephemeral_storage_f{workload=~"(?is).*-.*"})',
  );
});
