/**
 * A seeded pseudo-random generator (mulberry32, 32 bits of state): the same seed results in the same cluster on every machine.
 * Not for secrets.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(Math.floor(this.next() * alphabet.length))).join('');
  }

  hex(length: number): string {
    return this.text(length, '0123456789abcdef');
  }

  /** In the form of a version 4 UUID. */
  uuid(): string {
    const variant = this.text(1, '89ab');
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(12)}`;
  }

  /** The suffix that controllers append to names: without vowels, and without digits that look like letters. */
  nameSuffix(length: number): string {
    return this.text(length, 'bcdfghjklmnpqrstvwxz2456789');
  }
}
