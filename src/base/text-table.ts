const quote = 0x22;
const backslash = 0x5c;
/** Printable ASCII alone stands for itself. */
const firstPrintable = 0x20;
const lastPrintable = 0x7e;

/** Of Kubernetes' names none is longer. */
const maxLength = 253;
/** Whatever collides, a look-up takes no more. */
const maxProbeCount = 8;
const slotsPerText = 2;
const minSlotCount = 64;

/**
 * Keeps one instance of each short text that is read from bytes: documents that are read again and again do not bring new
 * copies, and no string is made for a text that is known. Of fixed size: what finds no place is not kept.
 */
export class TextTable {
  readonly #slots: (string | undefined)[];
  readonly #mask: number;

  /** @param texts which it has from the start */
  constructor(texts: readonly string[]) {
    let slotCount = minSlotCount;
    while (slotCount < slotsPerText * texts.length) slotCount *= 2;
    this.#slots = new Array<string | undefined>(slotCount).fill(undefined);
    this.#mask = slotCount - 1;
    for (const text of texts) this.#add(text);
  }

  /**
   * The text from `from` to the next quote. Undefined when it is empty, has more than 253 characters, one that is not
   * printable ASCII or an escape, or has no end.
   */
  read(bytes: Buffer, from: number): string | undefined {
    const limit = Math.min(bytes.length, from + maxLength + 1);
    let hash = 0;
    let to = from;
    for (; to < limit; to += 1) {
      const byte = bytes[to] ?? 0;
      if (byte === quote) break;
      if (byte < firstPrintable || byte > lastPrintable || byte === backslash) return undefined;
      hash = mixed(hash, byte);
    }
    return to === limit || to === from ? undefined : this.#find(bytes, from, to, hash);
  }

  #find(bytes: Buffer, from: number, to: number, hash: number): string {
    let slot = this.#slotOf(hash);
    for (let probe = 0; probe < maxProbeCount; probe += 1, slot = (slot + 1) & this.#mask) {
      const known = this.#slots[slot];
      if (known === undefined) return (this.#slots[slot] = bytes.toString('latin1', from, to));
      if (isSame(known, bytes, from, to)) return known;
    }
    return bytes.toString('latin1', from, to);
  }

  #add(text: string): void {
    let hash = 0;
    for (let index = 0; index < text.length; index += 1) hash = mixed(hash, text.charCodeAt(index));
    let slot = this.#slotOf(hash);
    for (let probe = 0; probe < maxProbeCount; probe += 1, slot = (slot + 1) & this.#mask) {
      const known = this.#slots[slot];
      if (known === text) return;
      if (known !== undefined) continue;
      this.#slots[slot] = text;
      return;
    }
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#mask;
  }
}

function mixed(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0;
}

function isSame(text: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) !== bytes[from + index]) return false;
  return true;
}
