import { UserError } from '../../lib/base/errors.js';
import type { LabelSelector, Requirement } from './selector.js';

const dnsNameForm = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** As names of nodes are. https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && dnsNameForm.test(text);
}

/**
 * The kubectl form: `k=v`, `k==v`, `k!=v`, `k in (a,b)`, `k notin (a,b)`, `k`, `!k`, separated by commas. Empty text
 * selects everything, `k=` means the empty value. Throws UserError.
 */
export function parseSelector(text: string): LabelSelector {
  const fault = (problem: string): UserError => new UserError(`label selector "${text}": ${problem}`);
  const tokens = new Tokens(text, fault);
  const requirements: Requirement[] = [];
  if (tokens.peek() === undefined) return requirements;
  do {
    requirements.push(checkedRequirement(parseRequirement(tokens), fault));
  } while (tokens.accept(','));
  if (tokens.peek() !== undefined) throw tokens.unexpected('"," or the end');
  return requirements;
}

function parseRequirement(tokens: Tokens): Requirement {
  if (tokens.accept('!')) return { key: tokens.word('a label key after "!"'), operator: 'DoesNotExist', values: [] };
  const key = tokens.word('a label key');
  if (tokens.accept('=') || tokens.accept('==')) return { key, operator: 'In', values: [tokens.optionalWord()] };
  if (tokens.accept('!=')) return { key, operator: 'NotIn', values: [tokens.optionalWord()] };
  if (tokens.accept('in')) return { key, operator: 'In', values: parseValues(tokens) };
  if (tokens.accept('notin')) return { key, operator: 'NotIn', values: parseValues(tokens) };
  const next = tokens.peek();
  if (next === undefined || next === ',') return { key, operator: 'Exists', values: [] };
  throw tokens.unexpected('one of =, ==, !=, in, notin, "," or the end');
}

/** `(a,b)`; as in kubectl, nothing between commas is the empty value, and `()` is no list. */
function parseValues(tokens: Tokens): string[] {
  tokens.expect('(');
  if (tokens.accept(')')) return [];
  const values: string[] = [];
  do values.push(tokens.optionalWord());
  while (tokens.accept(','));
  tokens.expect(')');
  return [...new Set(values)];
}

type Fault = (problem: string) => UserError;

const symbol = /^[(),<>=!]/;

/** The words and symbols of a selector, read from left to right. */
class Tokens {
  readonly #tokens: readonly string[];
  readonly #fault: Fault;
  #position = 0;

  constructor(text: string, fault: Fault) {
    this.#tokens = text.match(/[(),<>]|[=!]=|[=!]|[^\s(),<>=!]+/g) ?? [];
    this.#fault = fault;
  }

  peek(): string | undefined {
    return this.#tokens[this.#position];
  }

  accept(token: string): boolean {
    if (this.peek() !== token) return false;
    this.#position += 1;
    return true;
  }

  expect(token: string): void {
    if (!this.accept(token)) throw this.unexpected(`"${token}"`);
  }

  /** '' when a symbol or the end comes next. */
  optionalWord(): string {
    const token = this.peek();
    if (token === undefined || symbol.test(token)) return '';
    this.#position += 1;
    return token;
  }

  word(wanted: string): string {
    const word = this.optionalWord();
    if (word === '') throw this.unexpected(wanted);
    return word;
  }

  unexpected(wanted: string): UserError {
    const found = this.peek();
    return this.#fault(`found ${found === undefined ? 'the end' : `"${found}"`}, expected ${wanted}`);
  }
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const nameRule = 'at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
const maxNameLength = 63;

/** Returns a requirement whose key and values are those of labels; throws what `fault` makes of the problem for another one. */
export function checkedRequirement(
  requirement: Requirement,
  fault: Fault = (problem) => new UserError(problem),
): Requirement {
  const { key, operator, values } = requirement;
  if (!isKey(key)) {
    throw fault(`"${key}" is not a label key; allowed are ${nameRule}, after an optional DNS name and "/"`);
  }
  const stranger = values.find((value) => value !== '' && !isName(value));
  if (stranger !== undefined) {
    throw fault(`"${stranger}" is not a label value; allowed are nothing or ${nameRule}`);
  }
  const takesValues = operator === 'In' || operator === 'NotIn';
  if (takesValues && values.length === 0) throw fault(`${operator} of "${key}" needs at least one value`);
  if (!takesValues && values.length > 0) throw fault(`${operator} of "${key}" takes no values`);
  return requirement;
}

function isName(text: string): boolean {
  return text.length <= maxNameLength && namePattern.test(text);
}

function isKey(text: string): boolean {
  const slash = text.indexOf('/');
  const prefix = text.slice(0, Math.max(slash, 0));
  if (!isName(text.slice(slash + 1))) return false;
  return slash === -1 || isDnsName(prefix);
}
