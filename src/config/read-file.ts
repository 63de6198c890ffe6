import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import { messageOf, UserError } from '../base/errors.js';
import { maxFileBytes } from './file-layer.js';

/**
 * The text of a configuration file, which must be UTF-8. Of a file that is too large, one byte more than the limit, so
 * that loading it reports the fault. Throws UserError.
 */
export async function readConfigFile(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const bytes = await buffer(file.createReadStream({ end: maxFileBytes }));
    const fatal = bytes.length <= maxFileBytes; // a truncated file may end within a character
    return new TextDecoder('utf-8', { fatal, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UserError(`${path}: cannot read the configuration file: ${messageOf(error)}`, { cause: error });
  }
}
