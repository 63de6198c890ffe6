/** Names of members, in the order in which they are expected, and what their values are likely to be. */
type Members<Name extends string> = Readonly<Record<Name, JsonShape | undefined>>;

/**
 * What the members of an object are likely to be called, and in which order. A name at the expected place is compared, four
 * bytes at once, and not scanned.
 */
export class JsonShape<Name extends string = string> {
  /** By which a cursor tells the members: 1, shifted by the place of the name. */
  readonly bits: Readonly<Record<Name, number>>;
  /** Of each name with its quotes: words of four bytes; the last one has its last four bytes, whatever its length. */
  readonly #words: readonly Int32Array[];
  readonly #lengths: readonly number[];
  readonly #shapes: readonly (JsonShape | undefined)[];

  /** @param members at most 31, with names of 2 to 30 characters; with the shape of objects, or of objects in lists */
  constructor(members: Members<Name>) {
    const bits = Object.keys(members).map((name, index) => [name, 1 << index]);
    this.bits = Object.fromEntries(bits) as Record<Name, number>;
    const names = Object.keys(members).map((name) => Buffer.from(JSON.stringify(name)));
    this.#words = names.map(wordsOf);
    this.#lengths = names.map(({ length }) => length);
    this.#shapes = Object.values(members);
  }

  /** Index of the name that begins at `at`, from `first` on; -1 when it is none of them. There must be 40 bytes from `at` on. */
  indexOf(view: DataView, at: number, first: number): number {
    const names = this.#words;
    for (let index = first; index < names.length; index += 1) {
      const words = names[index];
      if (words !== undefined && this.#isAt(view, at, words, index)) return index;
    }
    return -1;
  }

  lengthOf(index: number): number {
    return this.#lengths[index] ?? 0;
  }

  shapeOf(index: number): JsonShape | undefined {
    return this.#shapes[index];
  }

  #isAt(view: DataView, at: number, words: Int32Array, index: number): boolean {
    const last = words.length - 1;
    for (let word = 0; word < last; word += 1) if (view.getInt32(at + 4 * word, true) !== words[word]) return false;
    return view.getInt32(at + this.lengthOf(index) - 4, true) === words[last];
  }
}

function wordsOf(name: Buffer): Int32Array {
  const wordCount = name.length >> 2;
  const words = new Int32Array(wordCount + 1);
  for (let word = 0; word < wordCount; word += 1) words[word] = name.readInt32LE(4 * word);
  words[wordCount] = name.readInt32LE(name.length - 4);
  return words;
}
