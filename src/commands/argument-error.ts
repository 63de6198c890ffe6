const invalidOption = /^option '.*?(?<name>--[\w.-]+).*?' argument '(?<value>.*)' is invalid\. (?<hint>.*)$/;
const tooMany = /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/;

/** Returns commander's text on one line in the style of the program's own errors: `--limit: found "x", allowed: …`. */
export function argumentError(text: string): string {
  const line = text.replaceAll(/\s*\n\s*/g, ' ').trim();
  const message = line.replace(/^error: /, '').replace(tooMany, '$1: found $3 arguments, allowed: at most $2');
  const { name, value = '', hint = '' } = invalidOption.exec(message)?.groups ?? {};
  if (name === undefined) return message;
  return `${name}: found "${value}", ${hint.replace(/^Allowed choices are (.*)\.$/, 'allowed: $1')}`;
}
