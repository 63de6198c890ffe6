import { RE2JS, RE2JSException } from 're2js';

import { UserError } from './errors.js';

/** A regular expression that is matched against whole texts. */
export interface Pattern {
  /** Whether the expression matches all of `text`. Takes time linear in its length. */
  matches(text: string): boolean;
}

/**
 * RE2's syntax: linear time rules out back-references and look-around. Throws UserError with the problem in `source`.
 * https://github.com/google/re2/wiki/Syntax
 */
export function compilePattern(source: string): Pattern {
  try {
    const expression = RE2JS.compile(source);
    return { matches: (text) => expression.matches(text) };
  } catch (error) {
    if (error instanceof RE2JSException) throw new UserError(error.message.replace(/^error parsing regexp: /, ''));
    throw error;
  }
}
