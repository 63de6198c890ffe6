/** Numbers in texts of the kernel. */

/** Returns the whole number of at most 64 bits that the text is; undefined for `max`, which stands for no limit, and all else. */
export function numberIn(text: string | undefined): number | undefined {
  const digits = text?.trimEnd() ?? '';
  return /^\d{1,20}$/.test(digits) ? Number(digits) : undefined;
}

/**
 * Returns what reads the lines that have one of these keys and a whole number. By one regular expression, as exporters of one
 * node compile nothing else: the others of the sixty lines of `memory.stat` cost nothing.
 */
export function flatKeyed<Key extends string>(
  ...keys: readonly Key[]
): (text: string | undefined) => Partial<Readonly<Record<Key, number>>> {
  return keyedBy(new RegExp(`^(${keys.join('|')}) (\\d{1,20})$`, 'gm'));
}

/** `form` has a group for the key and one for the number. */
export function keyedBy<Key extends string>(form: RegExp): (text: string | undefined) => Partial<Record<Key, number>> {
  return (text = '') => {
    const values: Partial<Record<Key, number>> = {};
    for (const [, key, digits] of text.matchAll(form)) values[key as Key] = Number(digits);
    return values;
  };
}
