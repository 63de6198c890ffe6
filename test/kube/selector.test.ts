import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  formatSelector,
  type LabelSelector,
  matchesSelector,
  type Requirement,
} from '../../src/cluster/kube/selector.js';
import { parseSelector } from '../../src/cluster/kube/selector-parser.js';
import { UserError } from '../../src/lib/base/errors.js';

const requirement = (key: string, operator: Requirement['operator'], ...values: string[]): Requirement => ({
  key,
  operator,
  values,
});

describe('matchesSelector', () => {
  const absent = {};
  const empty = { x: '' };
  const a = { x: 'a' };
  const b = { x: 'b' };

  it.each([
    ['x=a', [false, false, true, false]],
    ['x==a', [false, false, true, false]],
    ['x!=a', [true, true, false, true]],
    ['x in (a)', [false, false, true, false]],
    ['x in (a,b)', [false, false, true, true]],
    ['x notin (a)', [true, true, false, true]],
    ['x notin (a,b)', [true, true, false, false]],
    ['x', [false, true, true, true]],
    ['!x', [true, false, false, false]],
    ['x=', [false, true, false, false]],
    ['x!=', [true, false, true, true]],
    ['x in (,a)', [false, true, true, false]],
    ['x notin (,a)', [true, false, false, true]],
    ['', [true, true, true, true]],
    ['x,!x', [false, false, false, false]],
    ['x,x!=a', [false, true, false, true]],
  ])('the selector %j holds for absent, empty, a, b: %j', (text, expected) => {
    const selector = parseSelector(text);
    expect([absent, empty, a, b].map((labels) => matchesSelector(selector, labels))).toEqual(expected);
  });

  it('does not take inherited properties for labels', () => {
    expect(matchesSelector(parseSelector('constructor'), {})).toBe(false);
    expect(matchesSelector(parseSelector('!toString'), {})).toBe(true);
  });
});

describe('parseSelector', () => {
  it.each<[string, LabelSelector]>([
    ['', []],
    ['   ', []],
    ['app=billing', [requirement('app', 'In', 'billing')]],
    ['app == billing', [requirement('app', 'In', 'billing')]],
    [' app=billing , !legacy ', [requirement('app', 'In', 'billing'), requirement('legacy', 'DoesNotExist')]],
    ['! legacy', [requirement('legacy', 'DoesNotExist')]],
    ['app', [requirement('app', 'Exists')]],
    ['app=,tier', [requirement('app', 'In', ''), requirement('tier', 'Exists')]],
    ['app!=', [requirement('app', 'NotIn', '')]],
    ['tier in ( a , b )', [requirement('tier', 'In', 'a', 'b')]],
    ['tier in(a,a)', [requirement('tier', 'In', 'a')]],
    ['tier notin (a,)', [requirement('tier', 'NotIn', 'a', '')]],
    ['in in (in,notin)', [requirement('in', 'In', 'in', 'notin')]],
    ['notin', [requirement('notin', 'Exists')]],
    ['app.kubernetes.io/name=x_y.z-1', [requirement('app.kubernetes.io/name', 'In', 'x_y.z-1')]],
  ])('reads the selector %j', (text, expected) => {
    expect(parseSelector(text)).toEqual(expected);
  });

  it.each([
    ['a,', 'found the end, expected a label key'],
    [',a', 'found ",", expected a label key'],
    ['a,,b', 'found ",", expected a label key'],
    ['=a', 'found "=", expected a label key'],
    ['!', 'found the end, expected a label key after "!"'],
    ['!a=b', 'found "=", expected "," or the end'],
    ['a=b c', 'found "c", expected "," or the end'],
    ['a b', 'found "b", expected one of =, ==, !=, in, notin, "," or the end'],
    ['a>1', 'found ">", expected one of'],
    ['a===b', 'found "=", expected "," or the end'],
    ['a in b', 'found "b", expected "("'],
    ['a in (b', 'found the end, expected ")"'],
    ['a in (b c)', 'found "c", expected ")"'],
    ['a in ()', 'In of "a" needs at least one value'],
    ['a notin ()', 'NotIn of "a" needs at least one value'],
    ['-a', '"-a" is not a label key'],
    ['a/', '"a/" is not a label key'],
    ['/a', '"/a" is not a label key'],
    ['a/b/c', '"a/b/c" is not a label key'],
    ['Example.com/a', '"Example.com/a" is not a label key'],
    [`${'p'.repeat(254)}/a`, 'is not a label key'],
    ['k'.repeat(64), 'at most 63 letters'],
    ['a=b/c', '"b/c" is not a label value'],
    ['a=b-', '"b-" is not a label value'],
    [`a=${'v'.repeat(64)}`, 'at most 63 letters'],
    ['a in (b,ä)', '"ä" is not a label value'],
  ])('refuses the selector %j', (text, problem) => {
    expect(() => parseSelector(text)).toThrow(UserError);
    expect(() => parseSelector(text)).toThrow(`label selector "${text}": `);
    expect(() => parseSelector(text)).toThrow(problem);
  });

  it('takes keys and values of the greatest length', () => {
    const key = `${'p'.repeat(253)}/${'k'.repeat(63)}`;
    expect(parseSelector(`${key}=${'v'.repeat(63)}`)).toEqual([requirement(key, 'In', 'v'.repeat(63))]);
  });
});

describe('formatSelector', () => {
  it('gives equal texts for selectors that differ in order and repetition', () => {
    expect(formatSelector(parseSelector('b notin (y,x,y), a, b notin (x,y)'))).toBe('a,b notin (x,y)');
    expect(formatSelector(parseSelector('a,b notin (x,y)'))).toBe('a,b notin (x,y)');
  });

  const key = fc.constantFrom('x', 'y', 'in', 'notin', 'example.com/x');
  const value = fc.constantFrom('', 'a', 'b', 'in', 'notin');
  const anyRequirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom<Requirement['operator']>('In', 'NotIn'),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({
      key,
      operator: fc.constantFrom<Requirement['operator']>('Exists', 'DoesNotExist'),
      values: fc.constant([]),
    }),
  );
  const labels = fc.dictionary(key, value);

  it('gives a text that parses into an equivalent selector', () => {
    fc.assert(
      fc.property(fc.array(anyRequirement, { maxLength: 5 }), fc.array(labels), (selector, samples) => {
        const parsed = parseSelector(formatSelector(selector));
        expect(formatSelector(parsed)).toBe(formatSelector(selector));
        for (const sample of samples) {
          expect(matchesSelector(parsed, sample)).toBe(matchesSelector(selector, sample));
        }
      }),
    );
  });
});
