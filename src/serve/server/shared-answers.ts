import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

import { getOrAdd } from '../../lib/base/maps.js';

const compress = promisify(gzip);

/** Shorter ones fit in few packets as they are. */
const leastCompressedBytes = 4_096;

/** To one address, while what it is made of is the same. */
export class Answer {
  readonly status: 200 | 302 | 400 | 404 | 503;
  readonly bytes: Buffer;
  /** Of the page that it leads to, relative to that which was asked for. */
  readonly location: string | undefined;
  #compressed: Promise<Buffer> | undefined;

  constructor(status: Answer['status'], text: string | Buffer, location?: string) {
    this.status = status;
    this.location = location;
    this.bytes = Buffer.from(text);
  }

  get isWorthCompressing(): boolean {
    return this.bytes.length >= leastCompressedBytes;
  }

  /** By gzip, once for all who want it, on another thread: as fast as possible, since rows are alike. */
  compressed(): Promise<Buffer> {
    this.#compressed ??= compress(this.bytes, { level: constants.Z_BEST_SPEED });
    return this.#compressed;
  }
}

/** Answers that are made at the same time; others are refused. */
const maxMakingCount = 20;
/** What is kept for others who ask the same: a page has some 100 kB. */
const maxKeptCount = 50;
const maxKeptBytes = 8 * 1_024 * 1_024;

interface AnswersOfMoment {
  readonly byKey: Map<string, Promise<Answer>>;
  byteCount: number;
}

/** Makes few answers at once, and each once for all who ask while the moment is the same. What is kept goes with the moment. */
export class SharedAnswers {
  readonly #kept = new WeakMap<object, AnswersOfMoment>();
  #makingCount = 0;

  /** Undefined while too many are made. An answer that fails is made again for the next one who asks. */
  get(moment: object, key: string, make: () => Promise<Answer>): Promise<Answer> | undefined {
    const newMoment = (): AnswersOfMoment => ({ byKey: new Map<string, Promise<Answer>>(), byteCount: 0 });
    const kept = getOrAdd(this.#kept, moment, newMoment);
    const known = kept.byKey.get(key);
    if (known !== undefined) return known;
    if (this.#makingCount >= maxMakingCount) return undefined;
    this.#makingCount += 1;
    const making = make().finally(() => {
      this.#makingCount -= 1;
    });
    if (kept.byKey.size < maxKeptCount) keep(kept, key, making);
    return making;
  }
}

function keep(kept: AnswersOfMoment, key: string, making: Promise<Answer>): void {
  kept.byKey.set(key, making);
  making.then(
    ({ bytes }) => {
      const isTooMuch = kept.byteCount > 0 && kept.byteCount + bytes.length > maxKeptBytes;
      if (isTooMuch) kept.byKey.delete(key);
      else kept.byteCount += bytes.length;
    },
    () => kept.byKey.delete(key),
  );
}
