import type { Command } from 'commander';

import { candidates, positionOf } from './command-model.js';
import type { CommandContext } from './context.js';
import { expectsValue, optionsOf, plainFlags } from './flag-order.js';
import { nameCandidates } from './name-candidates.js';
import { namePlace } from './name-place.js';
import { createProgram } from './program.js';
import { parseTopResource } from './resources.js';

/**
 * Returns what the last of the words may be, with descriptions behind a tab; undefined where it may be any text, such as the name of
 * a file.
 */
async function completionOf(
  words: readonly string[],
  name: string,
  context: CommandContext,
): Promise<readonly string[] | undefined> {
  const program = createProgram(name, { ...context, writeError: () => undefined });
  const { before, prefix, word } = lastWord(words, program);
  const found = await wordsFor(word, before, program, context);
  return found?.map((candidate) => `${prefix}${candidate}`);
}

/** The value alone of `--flag=value`: `prefix` stands before it in the same word. */
function lastWord(words: readonly string[], program: Command) {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { flag = '', value = '' } = /^(?<flag>--?[^=]+)=(?<value>.*)$/.exec(last)?.groups ?? {};
  const hasValue = expectsValue(flag, optionsOf(program)) && positionOf([...before, last], program).flag === undefined;
  const all = plainFlagsOf(hasValue ? [...before, flag] : before, program);
  return { before: all, prefix: hasValue ? `${flag}=` : '', word: hasValue ? value : last };
}

async function wordsFor(word: string, before: readonly string[], program: Command, context: CommandContext) {
  const position = positionOf([...before, word], program);
  const { flag, operands } = position;
  if (flag === '--sort-by') return sortColumns(operands);
  const isFlag = flag === undefined && word.startsWith('-');
  const place = isFlag ? undefined : namePlace(position, word);
  if (place === undefined) return candidates([...before, word], program);
  const command = parsedCommand(before, operands[0], program);
  return command === undefined ? [] : await nameCandidates(place, command, context);
}

async function sortColumns([, resource]: readonly string[]): Promise<readonly string[]> {
  const { columnsOf } = await import('./top/top-page.js');
  try {
    return columnsOf(resource === undefined ? 'pods' : parseTopResource(resource));
  } catch {
    return [];
  }
}

/** An unfinished line may have faults. */
function plainFlagsOf(words: readonly string[], program: Command): readonly string[] {
  try {
    return plainFlags(words, program);
  } catch {
    return words;
  }
}

/** Returns the command with its flags; the default one where none is named. */
function parsedCommand(before: readonly string[], name: string | undefined, program: Command): Command | undefined {
  const command = program.commands.find((candidate) => name === undefined || candidate.name() === name);
  try {
    command?.parseOptions([...before]);
  } catch {
    // the flags before the fault count, and the last one may lack its value
  }
  return command;
}

/** Prints what the last of the words may be. Returns the exit code; 1 for any text. */
export async function printCompletion(words: readonly string[], name: string, context: CommandContext): Promise<0 | 1> {
  const found = await completionOf(words, name, context);
  context.writeOut((found ?? []).map((candidate) => `${candidate}\n`).join(''));
  return found === undefined ? 1 : 0;
}

/** https://pkg.go.dev/github.com/spf13/cobra#ShellCompDirective */
const directives = { none: 0, noSpace: 2, noFiles: 4 } as const;

/**
 * As {@link printCompletion}, for kubectl: with a last line that directs the shell.
 * https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/#using-the-command-line-runtime-package
 */
export async function printKubectlCompletion(
  words: readonly string[],
  name: string,
  context: CommandContext,
): Promise<0> {
  const found = await completionOf(words, name, context);
  const matching = (found ?? []).filter((candidate) => candidate.startsWith(words.at(-1) ?? ''));
  const continues = matching.some((candidate) => candidate.endsWith('='));
  const directive = found === undefined ? directives.none : directives.noFiles + (continues ? directives.noSpace : 0);
  context.writeOut([...matching, `:${directive}`].map((line) => `${line}\n`).join(''));
  return 0;
}
