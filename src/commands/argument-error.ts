const invalidOption = /^option '.*?(?<name>--[\w.-]+).*?' argument '(?<value>.*)' is invalid\. (?<hint>.*)$/;
const invalidOperand = /^command-argument value '(?<value>.*)' is invalid for argument '(?<name>.*)'\. (?<hint>.*)$/;

/** Returns commander's text on one line in the style of the program's own errors: `--limit: found "x", allowed: …`. */
export function argumentError(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim();
  const message = line.replace(/^error: /, '');
  const { name, value = '', hint = '' } = (invalidOption.exec(message) ?? invalidOperand.exec(message))?.groups ?? {};
  if (name === undefined) return message;
  return `${name}: found "${value}", ${hint.replace(/^Allowed choices are (.*)\.$/, 'allowed: $1')}`;
}
