import type { Clock } from '../../lib/base/clock.js';
import { getOrAdd } from '../../lib/base/maps.js';
import { GzipPages, type TextPiece } from './gzip-pages.js';
import { endText, type ExpositionFormat, type FamilyHeader, headerText } from './render.js';
import { type FamilyFilter, filterText } from './selection.js';

/** The body of a response. Its chunks are shared with other responses and never written to. */
export interface ExpositionBody {
  readonly chunks: readonly Buffer[];
  /** Bytes of all chunks. */
  readonly contentLength: number;
}

/** A family with all its samples. */
export interface BodyFamily {
  readonly header: FamilyHeader;
  readonly pieces: readonly TextPiece[];
}

export interface ExpositionRequest {
  readonly format: ExpositionFormat;
  readonly filter: FamilyFilter;
  readonly isGzipped?: boolean | undefined;
}

/** Puts the text of families together, compressed where the client wants it. */
export class ExpositionBodies {
  readonly #gzip: GzipPages;
  readonly #nextChunkId: () => number;
  /** Of families whose text is kept. */
  readonly #headers = { text: new Map<FamilyHeader, TextPiece>(), openmetrics: new Map<FamilyHeader, TextPiece>() };

  /** `nextChunkId`: that of the texts. */
  constructor(clock: Clock, nextChunkId: () => number) {
    this.#gzip = new GzipPages(clock);
    this.#nextChunkId = nextChunkId;
  }

  /** Without families that have no samples. Rejects with the signal's reason. */
  async of(families: readonly BodyFamily[], request: ExpositionRequest, signal: AbortSignal): Promise<ExpositionBody> {
    const { format, filter, isGzipped = false } = request;
    const pieces: TextPiece[] = [];
    for (const { header, pieces: samples } of families) {
      if (samples.length === 0) continue;
      // A header between texts that are made for each body is compressed with them.
      const isKept = samples[0]?.chunkId !== undefined;
      pieces.push(isKept ? this.#fixed(header, format) : madeText(headerText(header, format)));
      for (const piece of samples) pieces.push(piece);
    }
    const end = endText(format);
    if (end.length > 0) pieces.push(madeText(end));
    this.#gzip.expire();
    const chunks = isGzipped
      ? await this.#gzip.compress(pieces, `${format} ${filterText(filter)}`, signal)
      : pieces.map(({ chunk }) => chunk);
    let contentLength = 0;
    for (const { length } of chunks) contentLength += length;
    return { chunks, contentLength };
  }

  #fixed(header: FamilyHeader, format: ExpositionFormat): TextPiece {
    return getOrAdd(this.#headers[format], header, () => {
      return { ...madeText(headerText(header, format)), chunkId: this.#nextChunkId() };
    });
  }
}

/** Returns text that is made for each body. */
export function madeText(text: string): TextPiece {
  return { chunk: Buffer.from(text), chunkId: undefined, mayEndPage: false };
}
