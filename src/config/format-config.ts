import { createHash } from 'node:crypto';

import { stringify } from 'yaml';
import * as z from 'zod/mini';

import { type Config, schema } from './schema.js';

/** The effective settings as a file that yields the same settings. No setting is a secret. */
export function formatConfig(config: Config): string {
  return stringify(z.encode(schema, config), { lineWidth: 0 });
}

const hashBytes = 6;

/** The first 48 bits of a hash over all settings: a whole number that a gauge carries exactly. */
export function configHash(config: Config): number {
  const digest = createHash('sha256')
    .update(JSON.stringify(z.encode(schema, config)))
    .digest();
  return digest.readUIntBE(0, hashBytes);
}
