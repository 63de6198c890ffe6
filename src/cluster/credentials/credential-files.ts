import { createPrivateKey, X509Certificate } from 'node:crypto';

import { messageOf, UserError } from '../../lib/base/errors.js';
import { readText } from '../../lib/base/text-file.js';

/** The text of a file, trimmed. Throws UserError when it cannot be read or is empty; `what` names it. */
export async function readCredentialFile(path: string, what: string): Promise<string> {
  const text = await readTextFile(path, what);
  if (text.trim() === '') throw new UserError(`${what} ${path} is empty`);
  return text.trim();
}

export async function readTextFile(path: string, what: string): Promise<string> {
  try {
    return await readText(path);
  } catch (error) {
    throw new UserError(`${what} ${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** A PEM file that begins with a certificate. Throws UserError; `what` names the file. */
export async function readCertificate(path: string, what: string): Promise<string> {
  const pem = await readCredentialFile(path, what);
  checkCertificate(pem, `${what} ${path}`);
  return pem;
}

/** Throws UserError unless `pem` is a private key; `what` names it. */
export function checkPrivateKey(pem: string | Buffer, what: string): void {
  try {
    createPrivateKey(pem);
  } catch (error) {
    throw new UserError(`${what} is not a private key in PEM form: ${messageOf(error)}`, { cause: error });
  }
}

/** Throws UserError unless `pem` begins with a certificate; `what` names it. */
export function checkCertificate(pem: string | Buffer, what: string): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new UserError(`${what} is not a certificate in PEM form: ${messageOf(error)}`, { cause: error });
  }
}
