/** Reading parsed JSON of unknown shape: whatever is not of the wanted type reads as absent. */

export type JsonObject = Readonly<Record<string, unknown>>;

const nothing: JsonObject = Object.freeze({});

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Empty unless `value` is an object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : nothing;
}

/** The objects of a list; empty unless `value` is a list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Undefined unless `value` is text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An RFC 3339 time in milliseconds since the epoch. */
export function timeMsOf(value: unknown): number | undefined {
  const time = Date.parse(textOf(value) ?? '');
  return Number.isNaN(time) ? undefined : time;
}
