import { UserError } from '../base/errors.js';
import { suggestions } from './text/suggestions.js';
import { terminalText } from './text/terminal-text.js';

/** `names` are those that there are. */
export function notFound(kind: string, name: string, names: Iterable<string>): UserError {
  return new UserError(`no ${kind} "${terminalText(name)}"${suggestions(name, names)}`);
}
