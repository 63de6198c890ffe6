import { parse } from 'node:querystring';

import { expect, it } from 'vitest';

import { familyFilter } from '../../src/serve/server/metrics-handler.js';

const isFamily = (name: string): boolean => ['a_bytes', 'b_bytes'].includes(name);

function filterOf(query: string): unknown {
  const result = familyFilter(parse(query), isFamily);
  return 'filter' in result ? { names: [...result.filter.names], levels: [...result.filter.levels] } : result;
}

it.each([
  ['', [], []],
  ['other=x&name_=y', [], []],
  ['name[]=a_bytes', ['a_bytes'], []],
  ['name=a_bytes', ['a_bytes'], []],
  ['name%5B%5D=a_bytes&name%5B%5D=b_bytes&name=a_bytes', ['a_bytes', 'b_bytes'], []],
  ['collect[]=volume&collect=pod', [], ['pod', 'volume']],
  ['collect[]=exporter', [], ['exporter']],
  ['name[]=a_bytes&collect[]=node', ['a_bytes'], ['node']],
])('the query %j selects the families %j and the levels %j', (query, names, levels) => {
  expect(filterOf(query)).toEqual({ names, levels });
});

it.each([
  ['name[]', 'name[]=a'],
  ['name[]', 'name=c_bytes'],
  ['name[]', 'name[]=a_bytes&name[]=constructor'],
  ['name[]', 'name[]='],
  ['name[]', 'name'],
  ['collect[]', 'collect[]=pods'],
  ['collect[]', 'collect=pod&collect=POD'],
  ['collect[]', 'collect[]='],
  ['collect[]', 'collect[]=__proto__'],
  ['collect[]', 'name[]=a_bytes&collect[]=%0Apod'],
])('an unknown value of %s is a fault, in one line without the value: %s', (parameter, query) => {
  expect(filterOf(query)).toEqual({
    fault: `unknown value of ${parameter}: expected the name of a metric family for name[], one of workload, node, pod, container, volume, exporter for collect[]`,
  });
});
