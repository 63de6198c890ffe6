import { codeOf } from './errors.js';

/** Errors whose own message quotes the document, or is for programmers, by the parser's code. */
const quoting: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'the file has several documents',
  TAG_RESOLVE_FAILED: 'a value that begins with ! is a tag: put it in quotation marks',
  BAD_DIRECTIVE: 'a line that begins with % is not a known directive',
  BAD_DQ_ESCAPE: 'invalid escape sequence in a text in double quotation marks',
};

/**
 * Describes an error of one of the two YAML parsers on one line, with its place where the parser names one, and without any
 * part of the document: a password that begins with `*` or `!` is an alias or a tag that does not exist.
 */
export function yamlProblem(error: unknown): string {
  const [firstLine = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const [place = ''] = / (?:at line \d+, column \d+:?|\(\d+:\d+\))$/.exec(firstLine) ?? [];
  const text = firstLine.slice(0, firstLine.length - place.length);
  return withoutQuote(text, problemCode(error)) + place.replace(/:$/, '');
}

function withoutQuote(text: string, code: string): string {
  const own = quoting[code];
  if (own !== undefined) return own;
  if (/^(?:Unresolved|unidentified) alias/.test(text)) {
    return 'a value that begins with * is an alias: put it in quotation marks';
  }
  return text.replace(/(?<=\S): .*$/, '');
}

/** js-yaml has no codes. https://github.com/nodeca/js-yaml#load-string---options- */
function problemCode(error: unknown): string {
  const isOfJsYaml = error instanceof Error && error.name === 'YAMLException';
  return isOfJsYaml && /\btags?\b/.test(error.message) ? 'TAG_RESOLVE_FAILED' : codeOf(error);
}
