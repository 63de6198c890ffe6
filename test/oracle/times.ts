/** Milliseconds since the epoch, finer parts cut off; undefined for Go's zero time, which stands for none. */
export function timeMs(text: string | undefined): number | undefined {
  const [, seconds = '', fraction = '', zone = ''] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text ?? '') ?? [];
  if (seconds === '' || seconds.startsWith('0001-')) return undefined;
  return Date.parse(`${seconds}${zone}`) + Number(fraction.padEnd(3, '0').slice(0, 3));
}

/** The form of a timestamp in an exposition. */
export function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Number(`${ms}e-3`);
}
