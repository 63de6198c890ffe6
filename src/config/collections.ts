/** The kinds of setting with a structure: lists and label selectors. */
import * as z from 'zod/mini';

import { formatSelector, type LabelSelector } from '../cluster/kube/selector.js';
import { parseSelector, selectorFromObject } from '../cluster/kube/selector-parser.js';
import { UserError } from '../lib/base/errors.js';
import { type About, about, asText, fromFlowText, refuse, settingMeta } from './setting.js';
import { isNamespaceName } from './values.js';

interface ListSpec<S extends z.ZodMiniType> extends About {
  readonly item: S;
  readonly default: z.input<S>[];
  readonly minLength?: number;
  readonly allowed: string;
  /** Between the items in a text. A comma, unless items may contain commas. */
  readonly separator?: ',' | ';' | RegExp;
}

/** A list whose items are unique. */
export function list<S extends z.ZodMiniType>(spec: ListSpec<S>) {
  const { separator = ',' } = spec;
  const items = z
    .array(spec.item)
    .check(z.minLength(spec.minLength ?? 0), z.superRefine(noTwoAlike((item) => JSON.stringify(item))));
  return z.prefault(z.readonly(items), spec.default).register(settingMeta, {
    ...about(spec),
    allowed: `${spec.allowed}; each once`,
    fromText: (text) => fromFlowText(text, (items) => separated(items, separator)),
  });
}

function separated(items: string, separator: string | RegExp): string[] {
  return items === '' ? [] : items.split(separator).map((item) => item.trim());
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

/** The canonical form of a selector, so that equal selectors are equal settings. */
export function selectorValue() {
  return z.codec(z.union([z.string(), z.record(z.string(), z.unknown())]), z.custom<LabelSelector>(), {
    decode: (raw, payload) => {
      try {
        const selector = typeof raw === 'string' ? parseSelector(raw) : selectorFromObject(raw);
        return parseSelector(formatSelector(selector));
      } catch (error) {
        if (error instanceof UserError) return refuse(payload, withoutSubject(error.message));
        throw error;
      }
    },
    encode: formatSelector,
  });
}

/** The message starts with the selector, which the fault shows already. */
function withoutSubject(message: string): string {
  return message.replace(/^label selector(?: ".*?")?: /s, '');
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
