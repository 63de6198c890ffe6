import { UserError } from '../base/errors.js';
import { suggestions } from './text/suggestions.js';
import { terminalText } from './text/terminal-text.js';

/** `names` are those that there are; those of `namespace` are suggested first. */
export function notFound(kind: string, name: string, names: Iterable<string>, namespace?: string): UserError {
  const place = namespace === undefined || name.includes('/') ? '' : ` in namespace ${terminalText(namespace)}`;
  return new UserError(`no ${kind} "${terminalText(name)}"${place}${suggestions(name, names, namespace)}`);
}
