/** A string of PromQL: in the quotes and escapes of Go, which are those of JSON here. */
export function promqlString(value: string): string {
  return JSON.stringify(value);
}

/** A matcher of a label. */
export function equals(label: string, value: string): string {
  return `${label}=${promqlString(value)}`;
}

/** `pattern`: matches whole values. */
export function matches(label: string, pattern: string): string {
  return `${label}=~${promqlString(pattern)}`;
}

/** A regular expression that matches the text alone. */
export function patternOf(text: string): string {
  return text.replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
}

/** The series of a family that all matchers match. `family`: without the common prefix. */
export function seriesOf(family: string, matchers: readonly string[]): string {
  const name = familyName(family);
  return matchers.length === 0 ? name : `${name}{${matchers.join(',')}}`;
}

export function familyName(family: string): string {
  return `ephemeral_storage_${family}`;
}
