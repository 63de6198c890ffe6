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
  checkPem('certificate', pem, `${what} ${path}`);
  return pem;
}

const parsers = { certificate: (pem: string) => new X509Certificate(pem), 'private key': createPrivateKey };

/** Throws UserError unless `pem` begins with a certificate, or is a private key; `what` names it. */
export function checkPem(kind: keyof typeof parsers, pem: string, what: string): void {
  try {
    parsers[kind](pem);
  } catch (error) {
    throw new UserError(`${what} is not a ${kind} in PEM form: ${messageOf(error)}`, { cause: error });
  }
}
