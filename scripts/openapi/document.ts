import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { listKinds } from '../../src/config/served-paths.js';
import { apiPrefix, listPages, objectRoutes, openApiPath } from '../../src/config/served-paths.js';
import { listParameters, valuesOf } from '../../src/people/query/list-query.js';
import type { Views } from '../../src/people/status/views.js';
import { parametersOfView } from '../../src/people/status/views.js';
import { type Schema, TypeSchemas } from './type-schemas.js';

type ViewKind = keyof Views;

const viewsFile = 'src/people/status/views.ts';
const statusFile = 'src/people/query/status.ts';
const coverageFile = 'src/people/query/coverage.ts';

const summaries: Readonly<Record<ViewKind, string>> = {
  problems: 'What is wrong now, the worst first: one for each cause.',
  nodes: 'Nodes in scope.',
  pods: 'Pods of nodes in scope, with the last known values of those on silent nodes.',
  containers: 'Containers of pods with data.',
  volumes: 'Volumes of pods with data, as their kubelets list them.',
  workloads: 'Workloads in scope.',
  namespaces: 'Namespaces with pods or evictions.',
  search: 'The first things of each kind with these words in their names.',
  evictions: 'Evictions for storage that are remembered.',
  node: 'One node: its disk, its thresholds, whom its kubelet would evict first, and its pods.',
  pod: 'One pod: its limits, and what adds up to its usage.',
  workload: 'One workload: its sums, how its pods were found, and its pods.',
  namespace: 'One namespace: its pods and workloads.',
  eviction: 'One eviction.',
};

/** The text of the OpenAPI document, as it is committed. Its schemas are made from the types of the answers. */
export async function openApiText(): Promise<string> {
  const options = await resolveConfig(fileURLToPath(import.meta.url));
  return format(JSON.stringify(openApiDocument()), { parser: 'json', ...options });
}

function openApiDocument(): Schema {
  const schemas = new TypeSchemas([viewsFile, statusFile, coverageFile]);
  const data = schemas.objectsOf(viewsFile, 'Views') as Readonly<Record<ViewKind, Schema>>;
  const coverage = schemas.of(coverageFile, 'Coverage');
  const views = Object.fromEntries(
    Object.entries(data).map(([kind, schema]) => [kind, answerSchema(schema, coverage)]),
  ) as Readonly<Record<ViewKind, Schema>>;
  const status = schemas.of(statusFile, 'Status');
  const document = { description: 'This document.', type: 'object' };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ephemeral Storage Exporter',
      version: '1',
      description: `What the pages show, as data: for each page, the same address below ${apiPrefix}, or with ?as=json. ?as=text is the same for people, ?as=document what page and text are written from. All answers of a second are of one moment. Sizes are in bytes, times and ages in milliseconds, times since the Unix epoch. Fields without a value are left out. Errors are one line of text.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '.' }],
    paths: {
      '/status': { get: operation('status', 'What the overview shows: the whole cluster, and the exporter.', status) },
      [openApiPath.slice(apiPrefix.length)]: { get: operation('openapi', 'The description of this API.', document) },
      ...Object.fromEntries(listPages.map((kind) => [`/${kind}`, { get: viewOperation(kind, views[kind]) }])),
      ...Object.fromEntries(Object.keys(objectRoutes).map((kind) => objectPath(kind as ObjectKind, views))),
    },
    components: { schemas: schemas.named },
  };
}

type ObjectKind = keyof typeof objectRoutes;

function objectPath(kind: ObjectKind, views: Readonly<Record<ViewKind, Schema>>): readonly [string, Schema] {
  const parts = objectRoutes[kind].map((part) => part.replace(/^:(.*)$/, '{$1}'));
  const names = objectRoutes[kind].filter((part) => part.startsWith(':')).map((part) => part.slice(1));
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  return [`/${parts.join('/')}`, { parameters, get: viewOperation(kind, views[kind]) }];
}

/** The schema of a view with what each answer has besides. */
function answerSchema({ properties, required, ...rest }: Schema, coverage: Schema): Schema {
  const generatedAtMs = { description: 'When the answer was made.', type: 'number' };
  return {
    ...rest,
    properties: { generatedAtMs, coverage, ...(properties as Schema) },
    required: ['generatedAtMs', 'coverage', ...(required as readonly string[])],
  };
}

function viewOperation(kind: ViewKind, schema: Schema): Schema {
  const parameters = parametersOfView(kind).map((name) => parameterOf(kind, name));
  const isObject = kind in objectRoutes;
  return {
    ...operation(kind, summaries[kind], schema),
    ...(parameters.length > 0 && { parameters }),
    responses: {
      ...okResponse(schema),
      '400': textResponse('A parameter is unknown or has a value that is not allowed.'),
      ...(isObject && { '404': textResponse('There is no object of this name in scope.') }),
      '503': textResponse('The first lists are not complete yet, or too many answers are made at once.'),
    },
  };
}

function operation(operationId: string, summary: string, schema: Schema): Schema {
  return { operationId, summary, responses: okResponse(schema) };
}

function okResponse(schema: Schema): Schema {
  return { '200': { description: 'OK', content: { 'application/json': { schema } } } };
}

function textResponse(description: string): Schema {
  return { description, content: { 'text/plain': { schema: { type: 'string' } } } };
}

function parameterOf(kind: ViewKind, name: string): Schema {
  const { help: description, schema } = listParameters[name] ?? {};
  const listed = listKinds.find((one) => one === kind) ?? 'pods';
  const values = valuesOf(listed, name);
  const [first] = values ?? [];
  const allowed = { ...(values && { enum: values }), ...(name === 'order' && { default: first }) };
  return { name, in: 'query', description, schema: { ...schema, ...allowed } };
}

/** A table of the parameters: one row each, with the lists that have it. */
export function parameterRows(): readonly (readonly [name: string, lists: string, allowed: string, help: string])[] {
  return Object.entries(listParameters).map(([name, { kinds = listKinds, help, schema }]) => {
    const lists = kinds.length === listKinds.length ? 'all' : kinds.length === 0 ? 'one pod' : kinds.join(', ');
    return [name, lists, allowedText(name, kinds, schema), help];
  });
}

function allowedText(name: string, kinds: readonly (typeof listKinds)[number][], schema: Schema): string {
  if (name === 'order') return kinds.map((kind) => `${kind}: ${(valuesOf(kind, name) ?? []).join(', ')}`).join('; ');
  const [first] = kinds;
  const values = first && valuesOf(first, name);
  if (values !== undefined) return values.join(', ');
  const { minimum, maximum, maxLength } = schema as Partial<Record<string, number>>;
  return maximum === undefined ? `at most ${maxLength} characters` : `${minimum} to ${maximum}`;
}
