import { expect, it } from 'vitest';

import { UserError } from '../../src/lib/base/errors.js';
import { maxLimit, parametersOf, parseListQuery } from '../../src/people/query/list-query.js';

it('empty parameters, as forms send them, are as if they were not given', () => {
  const empty = Object.fromEntries(parametersOf('pods').map((name) => [name, '']));
  expect(parseListQuery('pods', empty)).toEqual(parseListQuery('pods', {}));
});

it.each([
  [{ limit: String(maxLimit) }, { limit: maxLimit }],
  [{ limit: '1' }, { limit: 1 }],
  [
    { only: 'near', order: 'ratio' },
    { only: 'near', order: 'ratio' },
  ],
  [
    { q: 'web', order: 'name' },
    { search: ['web'], given: { search: 'web', order: 'name' } },
  ],
  [{ q: 'web', search: 'db' }, { search: ['db'] }],
  [{ workload: '-/custom/all' }, { workload: '-/custom/all' }],
])('parameters %j are read', (parameters, expected) => {
  expect(parseListQuery('pods', parameters)).toMatchObject(expected);
});

it.each<[unknown, string]>([
  [{ limit: '0' }, 'parameter limit: found "0", allowed: an integer from 1 to 1000'],
  [{ limit: '1001' }, 'parameter limit: found "1001", allowed: an integer from 1 to 1000'],
  [{ limit: '-1' }, 'parameter limit: found "-1", allowed: an integer from 1 to 1000'],
  [{ limit: 'NaN' }, 'parameter limit: found "NaN", allowed: an integer from 1 to 1000'],
  [{ limit: '1e2' }, 'parameter limit: found "1e2", allowed: an integer from 1 to 1000'],
  [{ limit: ' 5' }, 'parameter limit: found " 5", allowed: an integer from 1 to 1000'],
  [{ limit: '9'.repeat(400) }, `parameter limit: found "${'9'.repeat(60)}…", allowed: an integer from 1 to 1000`],
  [{ offset: '50' }, 'parameter "offset": allowed: search, name, namespace, node, workload, selector'],
  [
    { order: 'usde' },
    'parameter order: found "usde", allowed: urgency, used, ratio, time, request, node, name (did you mean used?)',
  ],
  [
    { order: 'constructor' },
    'parameter order: found "constructor", allowed: urgency, used, ratio, time, request, node, name',
  ],
  [{ workload: 'cart' }, 'parameter workload: found "cart", allowed: NAMESPACE/TYPE/NAME'],
  [{ workload: 'shop/deployment/cart/0' }, 'parameter workload: found "shop/deployment/cart/0", allowed: NAMESPACE'],
  [{ workload: '/custom/all' }, 'parameter workload: found "/custom/all", allowed: NAMESPACE/TYPE/NAME'],
  [{ only: '__proto__' }, 'parameter only: found "__proto__", allowed: near, unknown, unenforced'],
  [{ only: 'toString' }, 'parameter only: found "toString", allowed: near, unknown, unenforced'],
  [{ search: ['a', 'b'] }, 'parameter search is given more than once'],
  [{ search: 'x'.repeat(254) }, 'parameter search: found 254 characters, allowed: at most 253'],
  [{ serach: 'x' }, '(did you mean search?)'],
  [JSON.parse('{"__proto__": "x"}'), 'parameter "__proto__": allowed: search, name, namespace, node'],
  [{ constructor: 'x' }, 'parameter "constructor": allowed: search, name, namespace, node'],
  [{ ['y'.repeat(70)]: 'x' }, `parameter "${'y'.repeat(60)}…": allowed: search`],
  [{ selector: 'app in (' }, 'in ('],
])('the parameters %j are refused with what is allowed', (parameters, message) => {
  const parse = (): unknown => parseListQuery('pods', parameters as Readonly<Record<string, unknown>>);
  expect(parse).toThrow(UserError);
  expect(parse).toThrow(message);
});

it('a parameter of another list is refused', () => {
  for (const [kind, name] of [
    ['nodes', 'namespace'],
    ['workloads', 'only'],
    ['namespaces', 'node'],
    ['problems', 'selector'],
  ] as const) {
    expect(() => parseListQuery(kind, { [name]: 'near' })).toThrow(`parameter "${name}": allowed:`);
  }
});

it('where no parameter is allowed, the message says so', () => {
  expect(() => parseListQuery('pods', { limit: '1' }, [])).toThrow('parameter "limit": allowed: none');
});
