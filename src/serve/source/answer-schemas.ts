import { type core, fromJSONSchema, type ZodType } from 'zod';

import { type JsonObject, objectOf } from '../../lib/json/json.js';
import { readOpenApi } from '../../people/status/page-files.js';
import type { CommandKind } from './view-source.js';

/** Checks the answers of an exporter, which may be of another version, by the description of the API. */
export class AnswerSchemas {
  readonly #document;
  readonly #schemas = new Map<CommandKind, ZodType>();

  /** `text`: of the OpenAPI document of this version. */
  constructor(text: string) {
    this.#document = JSON.parse(text, readable) as JsonObject;
  }

  static async read(): Promise<AnswerSchemas> {
    return new AnswerSchemas((await readOpenApi()).toString());
  }

  /** Returns the first thing that differs from the description, with its place; undefined for an answer that fits. */
  faultOf(kind: CommandKind, answer: unknown): string | undefined {
    const { error } = this.#schemaOf(kind).safeParse(answer);
    const [issue] = error?.issues ?? [];
    if (issue === undefined) return undefined;
    const { path, message } = furthest(issue);
    return `${path.join('.') || 'the answer'}: ${message}`;
  }

  #schemaOf(kind: CommandKind): ZodType {
    const known = this.#schemas.get(kind);
    if (known !== undefined) return known;
    const { paths, components } = this.#document;
    const operations = Object.values(objectOf(paths)).map((path) => objectOf(objectOf(path)['get']));
    const found = operations.find(({ operationId }) => operationId === kind);
    if (found === undefined) throw new Error(`the API has no ${kind}`);
    const schema = ['responses', '200', 'content', 'application/json', 'schema'].reduce(
      (value, name) => objectOf(value[name]),
      found,
    );
    const made = fromJSONSchema({ ...schema, $defs: objectOf(components)['schemas'] } as Parameters<
      typeof fromJSONSchema
    >[0]);
    this.#schemas.set(kind, made);
    return made;
  }
}

/** Of what fits none of several schemas, the fault of the one that it comes nearest to. */
function furthest(issue: core.$ZodIssue): Pick<core.$ZodIssue, 'path' | 'message'> {
  if (issue.code !== 'invalid_union') return issue;
  const [nearest] = issue.errors.toSorted((a, b) => a.length - b.length);
  const [first] = nearest ?? [];
  if (first === undefined) return issue;
  const { path, message } = furthest(first);
  return { path: [...issue.path, ...path], message };
}

/** Returns a part of the description as a schema by itself has it. A newer exporter may send more fields. */
function readable(key: string, value: unknown): unknown {
  if (key === 'additionalProperties' && value === false) return undefined;
  return key === '$ref' && typeof value === 'string' ? value.replace('#/components/schemas/', '#/$defs/') : value;
}
