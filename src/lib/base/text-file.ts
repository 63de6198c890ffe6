import { readFile } from 'node:fs/promises';

/** Reads a text that a person wrote, with whatever editor or shell. Throws Error, see {@link decodeText}. */
export async function readText(path: string): Promise<string> {
  return decodeText(await readFile(path));
}

/** Returns the text in UTF-8, or in UTF-16 that has a byte order mark, without the mark. Throws Error that names another encoding. */
export function decodeText(bytes: Uint8Array): string {
  const [first = 0, second = 0] = bytes;
  const mark = `${first.toString(16)}${second.toString(16)}`;
  const encoding = mark === 'fffe' ? 'UTF-16LE' : mark === 'feff' ? 'UTF-16BE' : 'UTF-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (error) {
    throw new Error(`it is not ${encoding}: save it as UTF-8`, { cause: error });
  }
  throw new Error('it has NUL characters, as UTF-32, and UTF-16 without a byte order mark: save it as UTF-8');
}
