import type { Command, Option } from 'commander';

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

/** The arguments with `-n=x` as `-n x`, which kubectl understands so and commander as the value `=x`. */
export function separateValues(args: readonly string[], program: Command): readonly string[] {
  const options = optionsOf(program);
  let isValue = false;
  let isBehindDashes = false;
  return args.flatMap((arg) => {
    isBehindDashes ||= !isValue && arg === '--';
    if (isValue || isBehindDashes) {
      isValue = false;
      return [arg];
    }
    isValue = expectsValue(arg, options);
    const { flag, value } = /^(?<flag>-[^-=]+)=(?<value>[^]*)$/.exec(arg)?.groups ?? {};
    return flag !== undefined && value !== undefined && expectsValue(flag, options) ? [flag, value] : [arg];
  });
}

export function optionsOf(program: Command): readonly Option[] {
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
export function expectsValue(arg: string, options: readonly Option[]): boolean {
  const takesValue = (flag: string): boolean => options.some((option) => option.required && isNamed(option, flag));
  if (!/^-[^-]./.test(arg)) return takesValue(arg);
  const letters = Array.from(arg.slice(1));
  const first = letters.findIndex((letter) => takesValue(`-${letter}`));
  return first !== -1 && first === letters.length - 1;
}

function isNamed({ short, long }: Option, flag: string): boolean {
  return flag === short || flag === long;
}
