/**
 * JSON in which a number without a JSON form is text, as in the responses of Prometheus: `"+Inf"` for the ratio to a limit
 * of 0. Fields without a value are left out.
 */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_key, item: unknown) => (item === Infinity ? '+Inf' : item), indent);
}
