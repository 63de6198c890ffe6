import { RE2JS, RE2JSException } from 're2js';

import { UserError } from './errors.js';

/**
 * Compiles a regular expression that is matched against whole texts, in time linear in their length.
 *
 * RE2's syntax: linear time rules out back-references and look-around. Throws UserError with the problem in `source`.
 * https://github.com/google/re2/wiki/Syntax
 */
export function compilePattern(source: string): Pick<RE2JS, 'matches'> {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSException) throw new UserError(error.message.replace(/^error parsing regexp: /, ''));
    throw error;
  }
}
