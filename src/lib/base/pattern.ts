import { UserError } from './errors.js';

/**
 * Compiles a regular expression that matches whole texts only. Patterns are settings of the operator, and texts are names of
 * families: that some patterns take exponential time is no attack. Throws UserError with the problem in `source`.
 */
export function compilePattern(source: string): RegExp {
  try {
    new RegExp(source, 'u'); // the parentheses below must not complete a part such as `a)|(b`
    return new RegExp(`^(?:${source})$`, 'u');
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new UserError(error.message.replace(/^Invalid regular expression: .*: /, ''));
    throw error;
  }
}
