import type { Command, Option } from 'commander';

import { UsageError } from '../base/errors.js';
import { assignmentFlag, settingRows } from './setting-flags.js';

/**
 * The arguments with the command before its flags: `--context x top pods` becomes `top --context x pods`. They stay as
 * they are when they name no command or begin with a flag of the program itself.
 */
export function commandFirst(args: readonly string[], program: Command): readonly string[] {
  const index = firstOperand(args, optionsOf(program));
  const name = args[index];
  const isCommand = program.commands.some((command) => command.name() === name);
  const ofProgram = program.options.some((option) => isNamed(option, args[0] ?? ''));
  if (name === undefined || !isCommand || ofProgram) return args;
  return [name, ...args.slice(0, index), ...args.slice(index + 1)];
}

/** What pflag takes for a switch: https://pkg.go.dev/strconv#ParseBool */
const switchValues: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** A flag with its value, or another argument. */
interface FlagWord {
  readonly texts: readonly string[];
  /** Undefined for everything but a switch. */
  readonly toggled?: { readonly option: Option; readonly isOn: boolean };
}

/**
 * Returns the arguments as kubectl understands them, in a form that commander understands too: `-An=x` as `-A -n x`, `-w=true`
 * as `-w`, and `-w=false` as nothing. The last value of a switch counts. Throws UsageError for a switch with another value.
 * https://pkg.go.dev/github.com/spf13/pflag#hdr-Command_line_flag_syntax
 */
export function plainFlags(args: readonly string[], program: Command): readonly string[] {
  const words = readWords(args, optionsOf(program));
  return words.flatMap(({ texts, toggled }, index) => {
    if (toggled === undefined) return texts;
    const { option, isOn } = toggled;
    const isRepeated = words.slice(index + 1).some((later) => later.toggled?.option === option);
    if (isRepeated) return [];
    return isOn ? texts : switchedOff(option);
  });
}

function readWords(args: readonly string[], options: readonly Option[]): readonly FlagWord[] {
  const rest = [...args];
  const words: FlagWord[] = [];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') return [...words, { texts: [arg, ...rest] }];
    if (arg.startsWith('--')) words.push(longFlag(arg, rest, options));
    else if (arg.length > 1 && arg.startsWith('-')) words.push(...shortFlags(arg.slice(1), rest, options));
    else words.push({ texts: [arg] });
  }
  return words;
}

/** Takes the value of the flag from `rest`, unless it is in the argument. */
function longFlag(arg: string, rest: string[], options: readonly Option[]): FlagWord {
  const { flag = arg, value } = /^(?<flag>[^=]+)=(?<value>[^]*)$/.exec(arg)?.groups ?? {};
  const option = options.find((candidate) => isNamed(candidate, flag));
  if (option === undefined) return { texts: [arg] };
  if (option.required) return { texts: [arg, ...(value === undefined ? rest.splice(0, 1) : [])] };
  return toggle(option, flag, value);
}

/** As {@link longFlag}, of flags in one word: only the last may have a value. */
function shortFlags(letters: string, rest: string[], options: readonly Option[]): readonly FlagWord[] {
  const flag = `-${letters.slice(0, 1)}`;
  const behind = letters.slice(1);
  const option = options.find((candidate) => isNamed(candidate, flag));
  if (option === undefined) return [{ texts: [`-${letters}`] }];
  if (option.required) {
    return [{ texts: [flag, ...(behind === '' ? rest.splice(0, 1) : [behind.replace(/^=/, '')])] }];
  }
  if (behind.startsWith('=')) return [toggle(option, flag, behind.slice(1))];
  return [toggle(option, flag), ...(behind === '' ? [] : shortFlags(behind, rest, options))];
}

function toggle(option: Option, flag: string, value = 'true'): FlagWord {
  const isOn = switchValues.get(value);
  if (isOn === undefined) throw new UsageError(`${option.flags}: "${value}" is invalid; allowed: true, false`);
  return { texts: [flag], toggled: { option, isOn } };
}

/** A setting may be switched on elsewhere. */
function switchedOff({ long }: Option): readonly string[] {
  const setting = settingRows.find(({ flag }) => flag === long);
  return setting === undefined ? [] : [`--${assignmentFlag}`, `${setting.path}=false`];
}

function optionsOf(program: Command): readonly Option[] {
  return program.commands.flatMap(({ options }) => options);
}

/** Its index; -1 when there is none, or when `--` comes before. */
function firstOperand(args: readonly string[], options: readonly Option[]): number {
  let isValue = false;
  const index = args.findIndex((arg) => {
    const isFound = !isValue && (!arg.startsWith('-') || arg === '--');
    isValue = !isValue && expectsValue(arg, options);
    return isFound;
  });
  return args[index] === '--' ? -1 : index;
}

/** Says whether the next argument is the value of this one. Of short flags in one word only the last may expect one. */
function expectsValue(arg: string, options: readonly Option[]): boolean {
  const takesValue = (flag: string): boolean => options.some((option) => option.required && isNamed(option, flag));
  if (!/^-[^-]./.test(arg)) return takesValue(arg);
  const letters = Array.from(arg.slice(1));
  const first = letters.findIndex((letter) => takesValue(`-${letter}`));
  return first !== -1 && first === letters.length - 1;
}

function isNamed({ short, long }: Option, flag: string): boolean {
  return flag === short || flag === long;
}
