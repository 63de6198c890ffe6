/** Reading JSON of unknown shape: whatever is not of the wanted type reads as absent. */

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

/** Throws what `fault` makes of the error for a text that is not JSON; returns undefined for it without `fault`. */
export function parseJson(text: string, fault?: (error: unknown) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (fault !== undefined) throw fault(error);
    return undefined;
  }
}

/**
 * JSON in which a number without a JSON form is text, as in the responses of Prometheus: `"+Inf"` for the ratio to a limit
 * of 0. Fields without a value are left out.
 */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, item: unknown) => (item === Infinity ? '+Inf' : item), indent);
}

/** Reads what {@link toJson} has written; undefined for what is not JSON. */
export function fromJson(text: string): unknown {
  const value = parseJson(text);
  if (value === undefined || !text.includes('"+Inf"')) return value;
  return JSON.parse(text, (_key, item: unknown) => (item === '+Inf' ? Infinity : item));
}

/** An RFC 3339 time in milliseconds since the epoch. */
export function timeMsOf(value: unknown): number | undefined {
  const time = Date.parse(textOf(value) ?? '');
  return Number.isNaN(time) ? undefined : time;
}
