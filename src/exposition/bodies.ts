import type { Clock } from '../base/clock.js';
import { GzipPages, type TextPiece } from './gzip-pages.js';
import { endText, type ExpositionFormat, type FamilyHeader, headerText } from './render.js';
import { type FamilyFilter, filterText } from './selection.js';
import type { Versions } from './source-text.js';

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
  readonly #versions: Versions;
  /** By their text. */
  readonly #headers = new Map<string, TextPiece>();

  constructor(clock: Clock, versions: Versions) {
    this.#gzip = new GzipPages(clock);
    this.#versions = versions;
  }

  /** Without families that have no samples. Rejects with the signal's reason. */
  async of(families: readonly BodyFamily[], request: ExpositionRequest, signal: AbortSignal): Promise<ExpositionBody> {
    const { format, filter, isGzipped = false } = request;
    const pieces: TextPiece[] = [];
    for (const { header, pieces: samples } of families) {
      if (samples.length === 0) continue;
      pieces.push(this.#fixed(headerText(header, format)));
      for (const piece of samples) pieces.push(piece);
    }
    pieces.push(this.#fixed(endText(format)));
    this.#gzip.expire();
    const chunks = isGzipped
      ? await this.#gzip.compress(pieces, `${format} ${filterText(filter)}`, signal)
      : pieces.map(({ chunk }) => chunk);
    return { chunks, contentLength: chunks.reduce((total, chunk) => total + chunk.length, 0) };
  }

  /** Headers are few: those of the table, in two formats. */
  #fixed(text: string): TextPiece {
    const known = this.#headers.get(text);
    if (known !== undefined) return known;
    const piece = { chunk: Buffer.from(text), version: this.#versions.next(), mayEndPage: false };
    this.#headers.set(text, piece);
    return piece;
  }
}
