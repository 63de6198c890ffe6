import { describe, expect, it } from 'vitest';

import type { Pod } from '../../src/kube/objects.js';
import { parseSelector } from '../../src/kube/selector.js';
import { type IdentityOptions, IdentityResolver } from '../../src/workload/identity.js';
import type { WorkloadDefinition } from '../../src/workload/label-identities.js';
import type { Workload } from '../../src/workload/workload.js';
import { aPod } from '../support/builders.js';

const resolver = (options: Partial<IdentityOptions>): IdentityResolver =>
  new IdentityResolver({ workloads: [], labels: [], controllers: false, ...options });

const define = (name: string, selector: string, namespaces: readonly string[] = []): WorkloadDefinition => ({
  name,
  selector: parseSelector(selector),
  namespaces,
});

const namesOf = (workloads: readonly Workload[]): string[] => workloads.map(({ name }) => name);
const names = (identities: IdentityResolver, pod: Partial<Pod>): string[] => namesOf(identities.workloadsOf(aPod(pod)));
const labelled = (labels: Pod['labels'], pod: Partial<Pod> = {}): Pod => aPod({ ...pod, labels });

describe('configured identities', () => {
  const identities = resolver({
    workloads: [
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
  ])('belong to a pod with %s', (_, pod, expected) => {
    expect(names(identities, pod)).toEqual(expected);
    expect(names(identities, pod)).toEqual(expected);
  });

  it.each([
    ['pay', ['all', 'payments']],
    ['shop', ['all']],
  ])('match an unknown pod by the empty selector alone, in namespace %s', (namespace, expected) => {
    expect(namesOf(identities.workloadsOf(undefined, namespace))).toEqual(expected);
  });

  it('are listed even when no pod matches', () => {
    expect(identities.configured()).toEqual(
      ['all', 'billing', 'not-legacy', 'no-tier', 'payments', 'shop-billing'].map((name) => ({
        name,
        origin: { source: 'configured' },
      })),
    );
  });

  it('are the same objects for every pod', () => {
    const [all] = identities.configured();
    expect(identities.workloadsOf(aPod())[0]).toBe(all);
    expect(identities.workloadsOf(labelled({ app: 'billing' }))[0]).toBe(all);
    expect(identities.workloadsOf(undefined, 'shop')[0]).toBe(all);
  });

  it('do not mix up labels whose keys and values run together', () => {
    const mixed = resolver({ workloads: [define('a', 'a=bc'), define('ab', 'ab=c'), define('both', 'a=b,c')] });
    expect(names(mixed, { labels: { a: 'bc' } })).toEqual(['a']);
    expect(names(mixed, { labels: { ab: 'c' } })).toEqual(['ab']);
    expect(names(mixed, { labels: { a: 'b', c: '' } })).toEqual(['both']);
  });
});

describe('identities discovered from labels', () => {
  it('are one for every distinct tuple of values, in the order of the keys', () => {
    const identities = resolver({ labels: ['team', 'app'] });
    expect(identities.workloadsOf(labelled({ app: 'cart', team: 'web', color: 'red' }))).toEqual([
      { name: 'web--cart', origin: { source: 'labels', labels: { team: 'web', app: 'cart' } } },
    ]);
    expect(names(identities, { labels: { app: 'pay', team: 'web' } })).toEqual(['web--pay']);
  });

  it.each<[string, Pod['labels']]>([
    ['none of the keys', {}],
    ['some of the keys', { team: 'web' }],
    ['keys that look alike', { team: 'web', app2: 'cart' }],
  ])('need all keys, not %s', (_, labels) => {
    expect(names(resolver({ labels: ['team', 'app'] }), { labels })).toEqual([]);
  });

  it('do not take an inherited property for a label', () => {
    expect(names(resolver({ labels: ['toString'] }), { labels: {} })).toEqual([]);
  });

  it.each<[Pod['labels'], string]>([
    [{ team: '', app: 'cart' }, '--cart'],
    [{ team: 'web', app: '' }, 'web--'],
    [{ team: '', app: '' }, '--'],
  ])('take empty values for values: %j', (labels, name) => {
    expect(names(resolver({ labels: ['team', 'app'] }), { labels })).toEqual([name]);
  });

  it('are none where the name would be empty, which to Prometheus is no label', () => {
    expect(resolver({ labels: ['app'] }).workloadsOf(labelled({ app: '' }))).toEqual([]);
  });

  it('do not depend on the namespace', () => {
    const identities = resolver({ labels: ['app'] });
    const [here] = identities.workloadsOf(labelled({ app: 'cart' }));
    expect(identities.workloadsOf(labelled({ app: 'cart' }, { namespace: 'test' }))[0]).toBe(here);
  });

  it('are none of an unknown pod', () => {
    expect(resolver({ labels: ['app'] }).workloadsOf(undefined, 'shop')).toEqual([]);
  });

  it('leave their name to a configured one, and are counted once', () => {
    const identities = resolver({ workloads: [define('cart', 'never=matches')], labels: ['app'] });
    expect(names(identities, { labels: { app: 'cart' } })).toEqual([]);
    expect(names(identities, { namespace: 'test', labels: { app: 'cart' } })).toEqual([]);
    expect(names(identities, { labels: { app: 'pay' } })).toEqual(['pay']);
    expect(identities.clashCount).toBe(1);
  });

  it('leave their name to the tuple that had it first, and are counted', () => {
    const identities = resolver({ labels: ['a', 'b'] });
    expect(names(identities, { labels: { a: 'x--y', b: 'z' } })).toEqual(['x--y--z']);
    expect(names(identities, { labels: { a: 'x', b: 'y--z' } })).toEqual([]);
    expect(names(identities, { labels: { a: 'x--y', b: 'z' } })).toEqual(['x--y--z']);
    expect(identities.clashCount).toBe(1);
  });

  it('free their name once they are no longer in use', () => {
    const identities = resolver({ labels: ['a', 'b'] });
    const first = labelled({ a: 'x--y', b: 'z' });
    const second = labelled({ a: 'x', b: 'y--z' });
    identities.workloadsOf(first);
    identities.workloadsOf(second);
    identities.retain(new Set());
    expect(identities.clashCount).toBe(0);
    expect(identities.workloadsOf(second)).toMatchObject([{ origin: { labels: { a: 'x', b: 'y--z' } } }]);
    expect(identities.workloadsOf(first)).toEqual([]);
  });
});

describe('identities of controllers', () => {
  const cart = { controller: { kind: 'ReplicaSet', name: 'cart-abc' }, labels: { 'pod-template-hash': 'abc' } };

  it('are named by namespace, kind and name', () => {
    const identities = resolver({ controllers: true });
    expect(identities.workloadsOf(aPod(cart))).toEqual([
      {
        name: 'shop/Deployment/cart',
        origin: { source: 'controller', namespace: 'shop', controller: { kind: 'Deployment', name: 'cart' } },
      },
    ]);
    expect(names(identities, { name: 'debug' })).toEqual(['shop/Pod/debug']);
  });

  it('are the same object for every pod of a controller', () => {
    const identities = resolver({ controllers: true });
    const [first] = identities.workloadsOf(aPod({ ...cart, name: 'cart-abc-1' }));
    const next = { controller: { kind: 'ReplicaSet', name: 'cart-def' }, labels: { 'pod-template-hash': 'def' } };
    expect(identities.workloadsOf(aPod({ ...next, name: 'cart-def-1' }))[0]).toBe(first);
  });

  it('are none of an unknown pod', () => {
    expect(resolver({ controllers: true }).workloadsOf(undefined, 'shop')).toEqual([]);
  });

  it('leave their name to a configured one, and are counted once', () => {
    const identities = resolver({ workloads: [define('shop/Deployment/cart', 'a=b')], controllers: true });
    expect(names(identities, { ...cart, name: 'cart-abc-1' })).toEqual([]);
    expect(names(identities, { ...cart, name: 'cart-abc-2' })).toEqual([]);
    expect(identities.clashCount).toBe(1);
  });

  it('come after the configured and the discovered ones of the same pod', () => {
    const identities = resolver({ workloads: [define('all', '')], labels: ['app'], controllers: true });
    expect(names(identities, { labels: { app: 'cart' } })).toEqual(['all', 'cart', 'shop/Pod/cart-0']);
  });
});

describe('retain', () => {
  it('keeps what is in use the same object, and forgets the rest', () => {
    const identities = resolver({ labels: ['app'], controllers: true });
    const kept = aPod({ name: 'kept', labels: { app: 'cart' } });
    const gone = aPod({ name: 'gone', labels: { app: 'pay' } });
    const before = [identities.workloadsOf(kept), identities.workloadsOf(gone)].flat();
    identities.retain(new Set(namesOf(identities.workloadsOf(kept))));
    const after = [identities.workloadsOf(kept), identities.workloadsOf(gone)].flat();
    expect(after).toEqual(before);
    expect(after.map((workload, position) => workload === before[position])).toEqual([true, true, false, false]);
  });

  it('keeps the configured identities', () => {
    const identities = resolver({ workloads: [define('all', '')] });
    const before = identities.workloadsOf(aPod());
    identities.retain(new Set());
    expect(identities.workloadsOf(aPod())).toEqual(before);
  });
});

describe('many pods', () => {
  /** An identity `first` of the pods with `id=0`, and how often its selector was asked. */
  function countingResolver(): { identities: IdentityResolver; askedCount: () => number } {
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
    return { identities: resolver({ workloads, labels: ['id'] }), askedCount: () => count };
  }

  it('asks the selectors once for each namespace and set of the labels that they name', () => {
    const { identities, askedCount } = countingResolver();
    const pods = Array.from({ length: 1000 }, (_, index) =>
      labelled({ 'pod-name': `pod-${index}`, id: String(index % 10) }, { namespace: `ns-${index % 2}` }),
    );
    const matched = pods.filter((pod) => names(identities, pod).includes('first'));
    expect(matched).toHaveLength(100);
    expect(askedCount()).toBe(10);
  });

  it('keeps a bounded number of answers, and gives the same ones again', () => {
    const { identities, askedCount } = countingResolver();
    const first = labelled({ id: '0' });
    const before = identities.workloadsOf(first);
    for (let id = 1; id <= 70_000; id += 1) identities.workloadsOf(labelled({ id: String(id) }));
    const after = identities.workloadsOf(first);
    expect(askedCount()).toBe(70_002);
    expect(after).toEqual(before);
    expect(after.every((workload, position) => workload === before[position])).toBe(true);
  });
});
