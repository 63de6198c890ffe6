import type { VerdictReport } from '../../report/verdict-report.js';
import { terminalText, wrapped } from './terminal-text.js';

/** The sentence, then a line for each command: none is broken, so that it can be copied. */
export function verdictLines(verdict: VerdictReport | undefined, width: number): readonly string[] {
  if (verdict === undefined) return [];
  return [...wrapped([verdict.text], width), ...verdict.commands.map((command) => `  ${terminalText(command)}`)];
}
