import { UserError } from '../../lib/base/errors.js';
import { type LabelSelector, operators, type Requirement } from './selector.js';

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
    requirements.push(checked(parseRequirement(tokens), fault));
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

/** `{ matchLabels, matchExpressions }` as in manifests, from a settings file. Throws UserError. */
export function selectorFromObject(object: unknown): LabelSelector {
  const { matchLabels, matchExpressions } = fields(object, 'label selector', ['matchLabels', 'matchExpressions']);
  return [...fromMatchLabels(matchLabels), ...fromMatchExpressions(matchExpressions)];
}

function fromMatchLabels(matchLabels: unknown): Requirement[] {
  if (matchLabels === undefined) return [];
  return Object.entries(record(matchLabels, 'matchLabels')).map(([key, value]) =>
    checked({ key, operator: 'In', values: [textOf(value, `matchLabels.${key}`)] }, (problem) =>
      problemAt('matchLabels', problem),
    ),
  );
}

function fromMatchExpressions(matchExpressions: unknown): Requirement[] {
  if (matchExpressions === undefined) return [];
  if (!Array.isArray(matchExpressions)) throw problemAt('matchExpressions', 'must be a list');
  return matchExpressions.map((expression: unknown, index) => {
    const place = `matchExpressions[${index}]`;
    const { key, operator, values = [] } = fields(expression, place, ['key', 'operator', 'values']);
    if (!Array.isArray(values)) throw problemAt(`${place}.values`, 'must be a list');
    const requirement = {
      key: textOf(key, `${place}.key`),
      operator: operatorOf(operator, `${place}.operator`),
      values: values.map((value: unknown, position) => textOf(value, `${place}.values[${position}]`)),
    };
    return checked(requirement, (problem) => problemAt(place, problem));
  });
}

function problemAt(place: string, problem: string): UserError {
  return new UserError(`${place}: ${problem}`);
}

function record(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problemAt(place, 'must be an object');
  return { ...value };
}

function fields<K extends string>(value: unknown, place: string, keys: readonly K[]): Partial<Record<K, unknown>> {
  const isKnown = (key: string): key is K => keys.some((known) => known === key);
  const found: Partial<Record<K, unknown>> = {};
  for (const [key, field] of Object.entries(record(value, place))) {
    if (!isKnown(key)) throw problemAt(place, `unknown key "${key}"; allowed are ${keys.join(', ')}`);
    found[key] = field;
  }
  return found;
}

function textOf(value: unknown, place: string): string {
  if (typeof value === 'string') return value;
  const found = value === undefined ? 'is missing' : `must be text, found ${JSON.stringify(value)}`;
  throw problemAt(
    place,
    typeof value === 'number' || typeof value === 'boolean' ? `${found}; put it in quotes` : found,
  );
}

function operatorOf(value: unknown, place: string): Requirement['operator'] {
  const operator = operators.find((known) => known === value);
  if (operator !== undefined) return operator;
  throw problemAt(
    place,
    `must be one of ${operators.join(', ')}, found ${value === undefined ? 'nothing' : JSON.stringify(value)}`,
  );
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const namePattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const nameRule = 'at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends';
const maxNameLength = 63;

function checked(requirement: Requirement, fault: Fault): Requirement {
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
