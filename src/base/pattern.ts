import { RE2JS, RE2JSException } from 're2js';

import { UserError } from './errors.js';

/** A regular expression that is held against whole texts. */
export interface Pattern {
  /** Whether the expression takes all of `text`, from its first character to its last. Time is linear in its length. */
  matches(text: string): boolean;
}

/**
 * RE2's syntax: no back-references and no look-around, which is what linear time costs. Throws UserError that says what
 * is wrong with `source`.
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
