import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';
import * as z from 'zod/mini';

import { rootSection, type Section, type Setting } from '../src/config/settings.js';
import { type JsonObject, objectOf } from '../src/lib/json/json.js';

/** Of the chart. Written by hand, but for the settings in `config`. */
export const valuesSchemaFile = new URL('../charts/ephemeral-storage-exporter/values.schema.json', import.meta.url);

/** The schema with the settings that a file may have, formatted. */
export async function renderValuesSchema(text: string): Promise<string> {
  const schema = objectOf(JSON.parse(text));
  const properties = { ...objectOf(schema['properties']), config: schemaOf(rootSection) };
  const options = await resolveConfig(fileURLToPath(import.meta.url));
  return format(JSON.stringify({ ...schema, properties }), { parser: 'json', ...options });
}

/** Settings of one process are any: templates say where they belong. */
function schemaOf(node: Section | Setting): JsonObject {
  if (node.kind === 'setting') return node.isOfProcess ? {} : orNull(valueSchema(node));
  const children = Array.from(node.children, ([key, child]) => [key, schemaOf(child)] as const);
  return orNull({ type: 'object', additionalProperties: false, properties: Object.fromEntries(children) });
}

/** The form of a value in a file: what its text may be, the exporter alone knows. */
function valueSchema({ schema }: Setting): JsonObject {
  const form = z.toJSONSchema(schema, {
    ...{ io: 'input', target: 'draft-7', unrepresentable: 'any' },
    override: ({ jsonSchema }) => {
      for (const name of ['default', 'readOnly']) Reflect.deleteProperty(jsonSchema, name);
    },
  });
  return { ...form, $schema: undefined };
}

/** A key without a value counts as absent. */
function orNull({ type, enum: values, anyOf, ...form }: JsonObject): JsonObject {
  if (Array.isArray(anyOf)) return { ...form, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  return {
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
    ...form,
  };
}
