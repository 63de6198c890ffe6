// @module-tag sockets

import { expect, it } from 'vitest';

import { demoScenario } from '../../sim/model/demo-scenario.js';
import { type JsonObject, objectOf, objectsOf, parseJson } from '../../src/lib/json/json.js';
import { Exporter } from '../support/exporter.js';
import { readProjectFile } from '../support/install-lines.js';

const page = readProjectFile('docs/api.md');

interface Example {
  readonly address: string;
  readonly program: string;
}

/** Each `curl` of the page with the program of the `jq` behind it. */
const examples = Array.from(
  page.matchAll(/^curl -s '?localhost:9797([^\s']+)'? \|\s+jq (?:-r )?'([^']+)'$/gm),
  ([, address = '', program = '']): Example => ({ address, program }),
);

const document = objectOf(parseJson(readProjectFile('src/people/status/openapi.json')));

/** The alternatives of a schema, without references. */
function alternatives(schema: JsonObject): readonly JsonObject[] {
  const { $ref, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') {
    return alternatives(
      $ref
        .slice(2)
        .split('/')
        .reduce((at, name) => objectOf(at[name]), document),
    );
  }
  const several = [...objectsOf(anyOf), ...objectsOf(oneOf)];
  return several.length === 0 ? [schema] : several.flatMap(alternatives);
}

/** What a path such as `.items[].pod` leads to; empty where a field of it is in no schema. */
function follow(from: readonly JsonObject[], path: string): readonly JsonObject[] {
  let found = from.flatMap(alternatives);
  for (const [step, name = ''] of path.matchAll(/\.(\w+)|\[\]/g)) {
    const next = found.map((schema) => (step === '[]' ? schema['items'] : objectOf(schema['properties'])[name]));
    found = next.flatMap((schema) => (schema === undefined ? [] : alternatives(objectOf(schema))));
  }
  return found;
}

/** The paths of a program that the schema does not have. A stage that is one path alone is what the next ones begin with. */
function unknownPaths(root: JsonObject, program: string): readonly string[] {
  let from: readonly JsonObject[] = [root];
  return program.split('|').flatMap((stage) => {
    const paths = Array.from(
      stage.replaceAll(/"[^"]*"/g, '').matchAll(/(?<!\w)(?:\.\w+(?:\[\])?)+/g),
      ([path]) => path,
    );
    const unknown = paths.filter((path) => follow(from, path).length === 0);
    if (paths[0] === stage.trim()) from = follow(from, paths[0]);
    return unknown;
  });
}

function schemaOf(address: string): JsonObject {
  const [path = ''] = address.replace(/^\/api\/v1/, '').split('?');
  const paths = objectOf(document['paths']);
  const isOf = (template: string): boolean => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const { responses } = objectOf(objectOf(paths[Object.keys(paths).find(isOf) ?? ''])['get']);
  return ['200', 'content', 'application/json', 'schema'].reduce((at, name) => objectOf(at[name]), objectOf(responses));
}

it('every curl of the page about the API is an example that is run here', () => {
  expect(examples).toHaveLength(page.match(/^curl /gm)?.length ?? 0);
  expect(examples.length).toBeGreaterThan(4);
});

it('the address of each example of the API is answered', async () => {
  await using exporter = await (await Exporter.start({ scenario: demoScenario })).settled();
  for (const { address } of examples) {
    const { status, text } = await exporter.get(address);
    expect([address, status, status === 200 ? '' : text]).toEqual([address, 200, '']);
  }
});

it.each(examples.filter(({ address }) => !address.endsWith('/openapi.json')))(
  'the description of $address has the fields of $program',
  ({ address, program }) => {
    expect(unknownPaths(schemaOf(address), program)).toEqual([]);
    expect(program).toMatch(/\.\w/);
  },
);

it('a field that is not described would be found', () => {
  expect(unknownPaths(schemaOf('/api/v1/pods'), '.items[] | [.namespace, .pod.x, .nope]')).toEqual(['.pod.x', '.nope']);
  expect(unknownPaths(schemaOf('/api/v1/evictions'), '.items[].verdict.texts')).toEqual(['.items[].verdict.texts']);
});
