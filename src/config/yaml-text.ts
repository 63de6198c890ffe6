import {
  type DocumentOptions,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml';

import { yamlProblem } from '../lib/base/yaml-problem.js';

interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlText {
  /** Undefined when there are problems. Of duplicate keys, the last one. */
  readonly value: unknown;
  readonly problems: readonly { readonly problem: string; readonly position: Position | undefined }[];
  readonly duplicateKeys: readonly {
    readonly path: readonly PropertyKey[];
    readonly position: Position;
    readonly firstLine: number;
  }[];
  /** Of the value at a path, or of the innermost parent with a position. */
  readonly positionOf: (path: readonly PropertyKey[]) => Position;
}

/** How far aliases may expand a text: far more than settings need, and still cheap. */
const maxAliasCount = 100;

/** Settings are not nested deeper. Deeper values have no position, which bounds the memory for a hostile text. */
const maxDepth = 8;

/**
 * One document of YAML 1.2 (https://yaml.org/spec/1.2.2/) with text keys and without custom tags. `options`: of another
 * version or schema.
 */
export function readYaml(text: string, options: DocumentOptions & ParseOptions & SchemaOptions = {}): YamlText {
  const lineCounter = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  // The parser's own check for duplicate keys takes quadratic time.
  const checks = { uniqueKeys: false, stringKeys: true, prettyErrors: false } as const;
  const document = parseDocument(text, { lineCounter, ...checks, ...options });
  const problems = [...document.errors, ...document.warnings].map((error) => ({
    problem: yamlProblem(error),
    position: positionAt(error.pos[0]),
  }));
  const places = new YamlPlaces(positionAt);
  const without = { value: undefined, duplicateKeys: [], positionOf: places.positionOf };
  if (problems.length > 0) return { ...without, problems };
  try {
    const value: unknown = document.toJS({ maxAliasCount });
    if (isCircular(value)) throw new Error('An alias refers to a value that contains it');
    places.add(document.contents, []);
    return { value, problems, duplicateKeys: places.duplicateKeys, positionOf: places.positionOf };
  } catch (error) {
    return { ...without, problems: [{ problem: yamlProblem(error), position: undefined }] };
  }
}

/** Whether the text has nothing but space, comments and the marks of a document. */
export function isEmptyYaml(text: string): boolean {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.every((line) => ['', '---', '...'].includes(line) || line.startsWith('#'));
}

function isCircular(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return false;
  } catch (error) {
    if (error instanceof TypeError) return true;
    throw error;
  }
}

/** The positions of the values of a document. */
class YamlPlaces {
  readonly duplicateKeys: YamlText['duplicateKeys'][number][] = [];
  readonly #positions = new Map<string, Position>();
  readonly #positionAt: (offset: number) => Position;

  constructor(positionAt: (offset: number) => Position) {
    this.#positionAt = positionAt;
  }

  readonly positionOf = (path: readonly PropertyKey[]): Position => {
    const position = this.#positions.get(JSON.stringify(path));
    if (position !== undefined) return position;
    return path.length === 0 ? { line: 1, column: 1 } : this.positionOf(path.slice(0, -1));
  };

  add(node: Node | null | undefined, path: readonly PropertyKey[]): void {
    if (path.length === maxDepth) return;
    if (isMap<Node, Node | null>(node)) {
      for (const { key, value } of node.items) this.#addPair(key, value, path);
    } else if (isSeq<Node>(node)) {
      node.items.forEach((item, index) => {
        this.#place(item, [...path, index]);
        this.add(item, [...path, index]);
      });
    }
  }

  #addPair(key: Node, value: Node | null, parent: readonly PropertyKey[]): void {
    if (!isScalar(key)) return;
    const path = [...parent, String(key.value)];
    const first = this.#positions.get(JSON.stringify(path));
    const position = this.#place(key, path);
    if (first !== undefined) this.duplicateKeys.push({ path, position, firstLine: first.line });
    this.add(value, path);
  }

  #place(node: Node, path: readonly PropertyKey[]): Position {
    const position = this.#positionAt(node.range?.[0] ?? 0);
    this.#positions.set(JSON.stringify(path), position);
    return position;
  }
}
