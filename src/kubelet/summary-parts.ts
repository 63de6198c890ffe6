import { bracketClose, comma, jsonSyntaxError } from '../base/json-bytes.js';
import { JsonCursor, UnusualJsonError } from '../base/json-cursor.js';
import type { ItemReader } from '../base/split-document.js';
import { TextTable } from '../base/text-table.js';
import { SummaryDecoder } from './decode.js';
import type { NodeSummary, PodSummary } from './summary.js';
import type { SaturatedCounts } from './summary-values.js';

/** Reads the parts of one summary from their bytes. */
export class SummaryParts implements ItemReader {
  item: PodSummary | undefined;
  readonly #cursor: JsonCursor;
  readonly #decoder: SummaryDecoder;

  /** @param former whose names are taken again */
  constructor(former: NodeSummary | undefined) {
    this.#cursor = new JsonCursor(new TextTable(former === undefined ? [] : namesOf(former)));
    this.#decoder = new SummaryDecoder(this.#cursor);
  }

  /** May be set to what it was when values that were read since are not kept. */
  get saturatedCounts(): SaturatedCounts {
    return this.#decoder.counts;
  }

  set saturatedCounts(counts: SaturatedCounts) {
    this.#decoder.counts = counts;
  }

  /** Throws RangeError for an object that is nested thousands of levels deep. */
  node(value: unknown): ReturnType<SummaryDecoder['node']> {
    this.#cursor.openValue(value);
    return this.#decoder.node();
  }

  /** As {@link node}; undefined without namespace, name or UID. */
  pod(value: unknown): PodSummary | undefined {
    this.#cursor.openValue(value);
    return this.#decoder.pod();
  }

  readAhead(bytes: Buffer, start: number, end: number): number {
    const before = this.#decoder.counts;
    const next = this.#endOfPod(bytes, start);
    if (next < end && (bytes[next] === comma || bytes[next] === bracketClose)) return next;
    this.#decoder.counts = before;
    return -1;
  }

  read(bytes: Buffer): void {
    const before = this.#decoder.counts;
    try {
      this.#cursor.open(bytes);
      this.item = this.#decoder.pod();
      if (this.#cursor.finish() !== bytes.length) throw jsonSyntaxError;
    } catch (error) {
      if (!(error instanceof UnusualJsonError)) throw error;
      this.#decoder.counts = before;
      this.#cursor.openValue(JSON.parse(bytes.toString()));
      this.item = this.#decoder.pod();
    }
  }

  /** Index behind the pod that begins at `start`, and the blanks; the bytes' length when there is none that can be read. */
  #endOfPod(bytes: Buffer, start: number): number {
    try {
      this.#cursor.openAhead(bytes, start);
      this.item = this.#decoder.pod();
      return this.#cursor.finish();
    } catch (error) {
      if (error === jsonSyntaxError || error instanceof UnusualJsonError) return bytes.length;
      throw error;
    }
  }
}

function namesOf({ nodeName, pods }: NodeSummary): readonly string[] {
  const names = [nodeName];
  for (const { namespace, name, uid, containers, volumes = [] } of pods) {
    names.push(namespace, name, uid);
    for (const container of containers) names.push(container.name);
    for (const volume of volumes) names.push(volume.name);
  }
  return names;
}
