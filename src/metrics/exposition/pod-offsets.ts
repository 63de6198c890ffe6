/** Where the lines of each pod end in the text of a node, and which of them the next text can copy. */
import type { SampleLines } from './render.js';

/** Pods that follow each other: all of them in the former text, in the same order, or all of them to be rendered. */
export interface PodRun {
  /** Of the first pod. */
  readonly start: number;
  /** Behind the last one. */
  end: number;
  /** Of the first pod in the former text. Undefined: to be rendered. */
  readonly formerStart: number | undefined;
}

/** Ends of the lines of each pod in the text of each family. Each family has a row, each pod an entry in it. */
export class PodOffsets {
  readonly pods: readonly object[];
  /** In bytes, row after row. */
  readonly bytes: Uint32Array;
  /** In lines, in the same way. */
  readonly lines: Uint32Array;

  constructor(pods: readonly object[], rowCount: number) {
    this.pods = pods;
    this.bytes = new Uint32Array(pods.length * rowCount);
    this.lines = new Uint32Array(pods.length * rowCount);
  }

  /** Returns where the first `podCount` pods end. */
  end(unit: 'bytes' | 'lines', row: number, podCount = this.pods.length): number {
    return podCount === 0 ? 0 : (this[unit][row * this.pods.length + podCount - 1] ?? 0);
  }

  /** Sets the ends of a pod to what has been rendered so far. `lines`: one for each row. */
  setRendered(pod: number, lines: readonly (SampleLines | undefined)[]): void {
    for (let row = 0; row < lines.length; row += 1) {
      const entry = row * this.pods.length + pod;
      this.bytes[entry] = lines[row]?.byteCount ?? 0;
      this.lines[entry] = lines[row]?.seriesCount ?? 0;
    }
  }

  /** Makes the ends of a row those in the new text, once all that is new of the row is rendered. */
  complete(row: number, runs: readonly PodRun[], former: PodOffsets): void {
    this.#addUp('bytes', row, runs, former);
    this.#addUp('lines', row, runs, former);
  }

  /** The entries of a run are those of the former text or of what was rendered, and are moved to its place. */
  #addUp(unit: 'bytes' | 'lines', row: number, runs: readonly PodRun[], former: PodOffsets): void {
    const own = this[unit];
    const ownRow = row * this.pods.length;
    let [end, renderedEnd] = [0, 0];
    for (const run of runs) {
      const isRendered = run.formerStart === undefined;
      const from = isRendered ? own : former[unit];
      const entry = isRendered ? ownRow + run.start : row * former.pods.length + run.formerStart;
      const shift = end - (isRendered ? renderedEnd : former.end(unit, row, run.formerStart));
      for (let index = 0; index < run.end - run.start; index += 1) {
        own[ownRow + run.start + index] = (from[entry + index] ?? 0) + shift;
      }
      end = own[ownRow + run.end - 1] ?? 0;
      if (isRendered) renderedEnd = end - shift;
    }
  }
}

export const noPods = new PodOffsets([], 0);

/** Divides pods by where their lines come from. */
export function runsOf(pods: readonly object[], former: readonly object[]): readonly PodRun[] {
  const runs: PodRun[] = [];
  let positions: ReadonlyMap<object, number> | undefined;
  let last: PodRun | undefined;
  for (const [index, pod] of pods.entries()) {
    const next = last?.formerStart === undefined ? index : last.formerStart + index - last.start;
    const formerStart = former[next] === pod ? next : (positions ??= positionsIn(former)).get(pod);
    if (last !== undefined && formerStart === (last.formerStart === undefined ? undefined : next)) {
      last.end = index + 1;
    } else {
      last = { start: index, end: index + 1, formerStart };
      runs.push(last);
    }
  }
  return runs;
}

function positionsIn(pods: readonly object[]): ReadonlyMap<object, number> {
  return new Map(pods.map((pod, index) => [pod, index]));
}
