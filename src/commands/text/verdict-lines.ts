import { terminalText, wrapped } from './terminal-text.js';

/** The sentence, then a line for each command: none is broken, so that it can be copied. */
export function verdictLines(
  verdict: { readonly text: string; readonly commands: readonly string[] },
  width: number,
): readonly string[] {
  return [...wrapped([verdict.text], width), ...verdict.commands.map((command) => `  ${terminalText(command)}`)];
}
