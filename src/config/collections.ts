/** The kinds of setting with a structure: lists and label selectors. */
import * as z from 'zod/mini';

import { formatSelector, type LabelSelector, operators } from '../cluster/kube/selector.js';
import { checkedRequirement, parseSelector } from '../cluster/kube/selector-parser.js';
import { UserError } from '../lib/base/errors.js';
import { isObject, type JsonObject } from '../lib/json/json.js';
import { describeValue, pathText } from './faults.js';
import { type About, about, asText, fromFlowText, refuse, settingMeta } from './setting.js';
import { isNamespaceName } from './values.js';

/** A list whose items are unique. */
export function list<S extends z.ZodMiniType>(
  spec: About & {
    readonly item: S;
    readonly default: z.input<S>[];
    readonly minLength?: number;
    readonly allowed: string;
    /** Between the items in a text. A comma, unless items may contain commas. */
    readonly separator?: ',' | ';' | RegExp;
  },
) {
  const { separator = ',' } = spec;
  const items = z
    .array(spec.item)
    .check(z.minLength(spec.minLength ?? 0), z.superRefine(noTwoAlike((item) => JSON.stringify(item))));
  return z.prefault(z.readonly(items), spec.default).register(settingMeta, {
    ...about(spec),
    allowed: `${spec.allowed}; each once`,
    fromText: (text) =>
      fromFlowText(text, (items) => (items === '' ? [] : items.split(separator).map((item) => item.trim()))),
  });
}

/** A check that no two items have the same key. The fault is at `path` in the later item. Undefined is not a key. */
export function noTwoAlike<T>(keyOf: (item: T) => unknown, ...path: string[]) {
  return (items: readonly T[], context: z.core.$RefinementCtx): void => {
    const firstIndexes = new Map<unknown, number>();
    items.forEach((item, index) => {
      const key = keyOf(item);
      const first = firstIndexes.get(key);
      if (first === undefined) firstIndexes.set(key, index);
      else if (key !== undefined) {
        context.addIssue({ code: 'custom', path: [index, ...path], params: { problem: `duplicate of [${first}]` } });
      }
    });
  };
}

export const selectorForms =
  'a label selector such as app=billing,!legacy, or a mapping of matchLabels and matchExpressions';

const quoted = z.string({ error: ({ input }) => `must be text, found ${describeValue(input)}; put it in quotes` });

function mappingOf<F extends Readonly<Record<string, z.ZodMiniType>>>(fields: F) {
  return z.strictObject(fields, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown key ${issue.keys.map(describeValue).join(', ')}; allowed are ${Object.keys(fields).join(', ')}`
        : 'must be a mapping',
  });
}

/** As in manifests. */
const selectorMapping = mappingOf({
  matchLabels: z.optional(z.record(z.string(), quoted, 'must be a mapping')),
  matchExpressions: z.optional(
    z.array(
      mappingOf({
        key: quoted,
        operator: z.enum(operators, `must be one of ${operators.join(', ')}`),
        values: z.optional(z.array(quoted, 'must be a list')),
      }),
      'must be a list',
    ),
  ),
});

/** Throws UserError with the first fault. */
function selectorOf(raw: JsonObject): LabelSelector {
  const [issue] = z.safeParse(selectorMapping, raw).error?.issues ?? [];
  if (issue !== undefined) throw new UserError([pathText(issue.path), issue.message].filter(Boolean).join(': '));
  // Not what zod returns: it leaves out a label `__proto__`, and with it the requirement.
  const { matchLabels = {}, matchExpressions = [] } = raw as z.input<typeof selectorMapping>;
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
  ].map((requirement) => checkedRequirement(requirement));
}

/** The canonical form of a selector, so that equal selectors are equal settings. */
export function selectorValue() {
  return z.codec(z.union([z.string(), z.custom<JsonObject>(isObject)]), z.custom<LabelSelector>(), {
    decode: (raw, payload) => {
      try {
        const selector = typeof raw === 'string' ? parseSelector(raw) : selectorOf(raw);
        return parseSelector(formatSelector(selector));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        // The message starts with the selector, which the fault shows already.
        return refuse(payload, error.message.replace(/^label selector(?: ".*?")?: /s, ''));
      }
    },
    encode: formatSelector,
  });
}

export function selector(spec: About) {
  return z
    .prefault(selectorValue(), '')
    .register(settingMeta, { ...about(spec), allowed: selectorForms, fromText: (text) => fromFlowText(text, asText) });
}

export function namespaces(spec: About) {
  return list({
    ...spec,
    item: z.string().check(z.refine(isNamespaceName)),
    default: [],
    allowed: 'a list of namespace names (lower-case letters, digits and "-", at most 63)',
  });
}
