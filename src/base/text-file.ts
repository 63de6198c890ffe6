import { readFile } from 'node:fs/promises';

/** The marks at the beginning of a text, the longest first: UTF-32LE begins as UTF-16LE does. */
const marks = [
  { bytes: [0xff, 0xfe, 0, 0], encoding: 'UTF-32' },
  { bytes: [0, 0, 0xfe, 0xff], encoding: 'UTF-32' },
  { bytes: [0xff, 0xfe], encoding: 'UTF-16LE' },
  { bytes: [0xfe, 0xff], encoding: 'UTF-16BE' },
] as const;

/** Reads a text that a person wrote, with whatever editor or shell. Throws Error, see {@link decodeText}. */
export async function readText(path: string): Promise<string> {
  return decodeText(await readFile(path));
}

/** Returns the text in UTF-8, or in UTF-16 that has a byte order mark, without the mark. Throws Error that names another encoding. */
export function decodeText(bytes: Uint8Array): string {
  const mark = marks.find((one) => one.bytes.every((byte, index) => bytes[index] === byte));
  const encoding = mark?.encoding ?? 'UTF-8';
  const text = encoding === 'UTF-32' ? undefined : decoded(bytes, encoding);
  if (text !== undefined && !text.includes('\0')) return text;
  const found =
    text === undefined
      ? `it is ${encoding === 'UTF-32' ? '' : 'not '}${encoding}`
      : 'it has NUL characters, as UTF-16 without a byte order mark';
  throw new Error(`${found}: save it as UTF-8`);
}

function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
