import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/cluster/kube/objects.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import { type Workload, type WorkloadDefinition, workloadKey } from '../../src/facts/workload/workload.js';
import { WorkloadResolver } from '../../src/facts/workload/workload-resolver.js';
import { aPod } from '../support/builders.js';

const createResolver = (options: Partial<ConstructorParameters<typeof WorkloadResolver>[0]>): WorkloadResolver =>
  new WorkloadResolver({ selectors: [], labels: [], controllers: false, ...options });

const define = (name: string, selector: string, namespaces: readonly string[] = []): WorkloadDefinition => ({
  name,
  selector: parseSelector(selector),
  namespaces,
});

const namesOf = (workloads: readonly Workload[]): string[] =>
  workloads.map(({ namespace, name, origin }) =>
    origin.source === 'controller' ? `${namespace}/${origin.kind}/${name}` : name,
  );
const names = (resolver: WorkloadResolver, pod: Partial<Pod>): string[] => namesOf(resolver.workloadsOf(aPod(pod)));
const labelled = (labels: Pod['labels'], pod: Partial<Pod> = {}): Pod => aPod({ ...pod, labels });

describe('configured workloads', () => {
  const resolver = createResolver({
    selectors: [
      define('all', ''),
      define('billing', 'app=billing'),
      define('not-legacy', '!legacy'),
      define('no-tier', 'tier='),
      define('payments', '', ['pay', 'pay-test']),
      define('shop-billing', 'app in (billing,invoice)', ['shop']),
    ],
  });

  it.each<[string, Partial<Pod>, string[]]>([
    ['no labels', {}, ['all', 'not-legacy']],
    ['a matching label', { labels: { app: 'billing' } }, ['all', 'billing', 'not-legacy', 'shop-billing']],
    ['another value', { labels: { app: 'invoice' } }, ['all', 'not-legacy', 'shop-billing']],
    ['a label that must be absent', { labels: { legacy: '' } }, ['all']],
    ['an empty value that is asked for', { labels: { tier: '' } }, ['all', 'not-legacy', 'no-tier']],
    [
      'another namespace',
      { namespace: 'pay', labels: { app: 'billing' } },
      ['all', 'billing', 'not-legacy', 'payments'],
    ],
    ['labels that no selector asks for', { labels: { color: 'red' } }, ['all', 'not-legacy']],
  ])('a pod with %s has its configured workloads', (_, pod, expected) => {
    expect(names(resolver, pod)).toEqual(expected);
    expect(names(resolver, pod)).toEqual(expected);
  });

  it.each([
    ['pay', ['all', 'payments']],
    ['shop', ['all']],
  ])('an unknown pod matches the empty selector alone, in namespace %s', (namespace, expected) => {
    expect(namesOf(resolver.ofUnknown(namespace))).toEqual(expected);
  });
});

it.each<[string, string[], Pod['labels']]>([
  ['none of the keys', ['team', 'app'], {}],
  ['some of the keys', ['team', 'app'], { team: 'web' }],
  ['keys that look alike', ['team', 'app'], { team: 'web', app2: 'cart' }],
  ['an inherited property', ['toString'], {}],
])('workloads from labels need all keys, not %s', (_, keys, labels) => {
  expect(names(createResolver({ labels: keys }), { labels })).toEqual([]);
});

it.each<[Pod['labels'], string]>([
  [{ team: '', app: 'cart' }, '--cart'],
  [{ team: 'web', app: '' }, 'web--'],
  [{ team: '', app: '' }, '--'],
])('workloads from labels take empty values for values: %j', (labels, name) => {
  expect(names(createResolver({ labels: ['team', 'app'] }), { labels })).toEqual([name]);
});

it('workloads from labels are none where the name would be empty, which to Prometheus is no label', () => {
  expect(createResolver({ labels: ['app'] }).workloadsOf(labelled({ app: '' }))).toEqual([]);
});

it('workloads from labels leave their name to a configured one, and are counted once', () => {
  const resolver = createResolver({ selectors: [define('cart', 'never=matches')], labels: ['app'] });
  expect(names(resolver, { labels: { app: 'cart' } })).toEqual([]);
  expect(names(resolver, { namespace: 'test', labels: { app: 'cart' } })).toEqual([]);
  expect(names(resolver, { labels: { app: 'pay' } })).toEqual(['pay']);
  expect(resolver.clashCount).toBe(1);
});

it('workloads from labels free their name once they are no longer in use', () => {
  const resolver = createResolver({ labels: ['a', 'b'] });
  const first = labelled({ a: 'x--y', b: 'z' });
  const second = labelled({ a: 'x', b: 'y--z' });
  resolver.workloadsOf(first);
  resolver.workloadsOf(second);
  resolver.retain(new Set(), resolver.discoveredCount);
  expect(resolver.clashCount).toBe(0);
  expect(resolver.workloadsOf(second)).toMatchObject([{ origin: { labels: { a: 'x', b: 'y--z' } } }]);
  expect(resolver.workloadsOf(first)).toEqual([]);
});

describe('retain', () => {
  it('keeps the workloads in use the same objects, and forgets the others', () => {
    const resolver = createResolver({ labels: ['app'], controllers: true });
    const kept = aPod({ name: 'kept', labels: { app: 'cart' } });
    const gone = aPod({ name: 'gone', labels: { app: 'pay' } });
    const before = [resolver.workloadsOf(kept), resolver.workloadsOf(gone)].flat();
    resolver.retain(new Set(resolver.workloadsOf(kept).map(workloadKey)), resolver.discoveredCount);
    const after = [resolver.workloadsOf(kept), resolver.workloadsOf(gone)].flat();
    expect(after).toEqual(before);
    expect(after.map((workload, position) => workload === before[position])).toEqual([true, true, false, false]);
  });

  it('frees a name for the tuple that asked for it, however many others were asked for since', () => {
    const resolver = createResolver({ labels: ['a', 'b'] });
    resolver.workloadsOf(labelled({ a: 'x--y', b: 'z' }));
    resolver.workloadsOf(labelled({ a: 'x', b: 'y--z' }));
    for (let id = 0; id < 70_000; id += 1) resolver.workloadsOf(labelled({ a: 'id', b: String(id) }));
    expect(resolver.clashCount).toBe(1);
    const { generation } = resolver;
    resolver.retain(new Set(), resolver.discoveredCount);
    expect(resolver.generation).not.toBe(generation);
  });
});

describe('many pods', () => {
  /** A workload `first` of the pods with `id=0`, and how often its selector was asked. */
  function countingResolver(): { resolver: WorkloadResolver; askedCount: () => number } {
    let count = 0;
    const counting = {
      key: 'id',
      values: ['0'],
      get operator() {
        count += 1;
        return 'In' as const;
      },
    };
    const workloads = [{ name: 'first', namespaces: [], selector: [counting] }];
    return { resolver: createResolver({ selectors: workloads, labels: ['id'] }), askedCount: () => count };
  }

  it('asks the selectors once for each namespace and set of the labels that they name', () => {
    const { resolver, askedCount } = countingResolver();
    const pods = Array.from({ length: 1000 }, (_, index) =>
      labelled({ 'pod-name': `pod-${index}`, id: String(index % 10) }, { namespace: `ns-${index % 2}` }),
    );
    const matched = pods.filter((pod) => names(resolver, pod).includes('first'));
    expect(matched).toHaveLength(100);
    expect(askedCount()).toBe(10);
  });

  it('memoizes a bounded number of results, and returns the same workloads again', () => {
    const { resolver, askedCount } = countingResolver();
    const first = labelled({ id: '0' });
    const before = resolver.workloadsOf(first);
    for (let id = 1; id <= 70_000; id += 1) resolver.workloadsOf(labelled({ id: String(id) }));
    const after = resolver.workloadsOf(first);
    expect(askedCount()).toBe(70_002);
    expect(after).toEqual(before);
    expect(after.every((workload, position) => workload === before[position])).toBe(true);
  });
});

describe('the pods of a workload', () => {
  const resolver = new WorkloadResolver({
    selectors: [
      { name: 'every', selector: [], namespaces: [] },
      { name: 'shops', selector: [], namespaces: ['shop', 'market'] },
    ],
    labels: ['team'],
    controllers: true,
  });
  const pod = aPod({ namespace: 'shop', labels: { team: 'a' } });

  it.each([
    ['every', ['secret'], true],
    ['shops', ['secret'], false],
    ['shops', ['secret', 'market'], true],
    ['a', ['secret'], true],
    ['cart-0', ['secret'], false],
    ['cart-0', ['shop'], true],
    ['every', [], false],
  ])('a pod of %s may be in %j: %s', (name, namespaces, expected) => {
    const workload = resolver.workloadsOf(pod).find((candidate) => candidate.name === name);
    expect(workload && resolver.mayHavePodsIn(workload, namespaces)).toBe(expected);
  });
});
