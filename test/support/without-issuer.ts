import type { LoadCredentialsOptions } from '../../src/credentials/load-credentials.js';

/** For credentials that need no issuer: a request to one fails, and so does a warning. */
export const withoutIssuer: Pick<LoadCredentialsOptions, 'issuers' | 'warn'> = {
  issuers: ({ what }) => Promise.reject(new Error(`there is no issuer: ${what}`)),
  warn: (message) => {
    throw new Error(message);
  },
};
