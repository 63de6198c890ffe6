import { sampleLine } from './render.js';

/** The samples of one family, without its header lines. */
export class SampleLines {
  readonly #name: string;
  #byteCount: number | undefined;
  text = '';
  seriesCount = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** `labels`: from `labelText`. Not after the first look at `byteCount`. */
  add(labels: string, value: number): void {
    this.text += sampleLine(this.#name, labels, value);
    this.seriesCount += 1;
  }

  /** As UTF-8. */
  get byteCount(): number {
    this.#byteCount ??= Buffer.byteLength(this.text);
    return this.#byteCount;
  }

  get isAscii(): boolean {
    return this.byteCount === this.text.length;
  }

  /** Of ASCII, the bytes are those of Latin-1, which are written faster. */
  write(to: Buffer, offset: number): void {
    to.write(this.text, offset, this.isAscii ? 'latin1' : 'utf8');
  }
}
