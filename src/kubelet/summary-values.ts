import { type JsonCursor, noMember } from '../base/json-cursor.js';
import type { ContainerFsStats, FsStats, IoPressure, VolumeSummary } from './summary.js';
import { fsShape, ioShape, psiShape, stallShape } from './summary-shapes.js';

/** The largest value that is kept: up to here every integer is exact in JavaScript. */
const maxValue = 2 ** 53;

/** Kubernetes' own limit, of the names of pods; those of all others are shorter. */
const maxNameLength = 253;

const ofFs = fsShape.bits;

/** How many values were larger than 2^53, and how many of them are times of pressure; each was read as 2^53. */
export interface SaturatedCounts {
  readonly all: number;
  readonly ofPressure: number;
}

const noneSaturated: SaturatedCounts = { all: 0, ofPressure: 0 };

/**
 * Reads the values of which a summary consists, at a cursor, and counts those that were too large. Undefined for a value
 * that is missing or malformed. All methods throw as the cursor does.
 */
export class SummaryValues {
  counts: SaturatedCounts = noneSaturated;
  readonly #cursor: JsonCursor;
  readonly #fs = new FsMembers();

  constructor(cursor: JsonCursor) {
    this.#cursor = cursor;
  }

  /** One with half a surrogate pair is made well-formed. */
  name(): string | undefined {
    const text = this.#cursor.name();
    return text === undefined || text === '' || text.length > maxNameLength ? undefined : text.toWellFormed();
  }

  /** RFC 3339, in milliseconds since the epoch; undefined for Go's zero time. */
  timeMs(): number | undefined {
    const timeMs = this.#cursor.utcTimeMs() ?? timeOf(this.#cursor.text());
    return timeMs !== undefined && timeMs > 0 ? timeMs : undefined;
  }

  /** The API's values are uint64. One above 2^53 is no real size, and must not invalidate the data of the whole node. */
  bytesOrCount(): number | undefined {
    const value = this.#cursor.number();
    if (value === undefined || !Number.isInteger(value) || value < 0) return undefined;
    if (value <= maxValue) return Math.abs(value); // no negative zero
    this.counts = { ...this.counts, all: this.counts.all + 1 };
    return maxValue;
  }

  ioPressure(): IoPressure | undefined {
    const cursor = this.#cursor;
    let pressure: IoPressure | undefined;
    let seen = 0;
    let member = cursor.firstMember(ioShape);
    for (; member !== noMember; member = cursor.nextMember(ioShape, seen)) {
      seen |= member;
      if (member === ioShape.bits.psi) pressure = this.#psi();
      else cursor.skip();
    }
    return pressure;
  }

  #psi(): IoPressure | undefined {
    const cursor = this.#cursor;
    const before = this.counts.all;
    let waitingUs: number | undefined;
    let stalledUs: number | undefined;
    let seen = 0;
    let member = cursor.firstMember(psiShape);
    for (; member !== noMember; member = cursor.nextMember(psiShape, seen)) {
      seen |= member;
      if (member === psiShape.bits.full) stalledUs = this.#stallTotal();
      else if (member === psiShape.bits.some) waitingUs = this.#stallTotal();
      else cursor.skip();
    }
    const { all, ofPressure } = this.counts;
    if (all !== before) this.counts = { all, ofPressure: ofPressure + all - before };
    return waitingUs === undefined && stalledUs === undefined ? undefined : { waitingUs, stalledUs };
  }

  #stallTotal(): number | undefined {
    const cursor = this.#cursor;
    let total: number | undefined;
    let seen = 0;
    let member = cursor.firstMember(stallShape);
    for (; member !== noMember; member = cursor.nextMember(stallShape, seen)) {
      seen |= member;
      if (member === stallShape.bits.total) total = this.bytesOrCount();
      else cursor.skip();
    }
    return total;
  }

  /** Undefined unless it is an object. */
  fs(): FsStats | undefined {
    if (!this.#readFs()) return undefined;
    const { timeMs, availableBytes, capacityBytes, usedBytes, inodes, inodesFree, inodesUsed } = this.#fs;
    return { timeMs, availableBytes, capacityBytes, usedBytes, inodes, inodesFree, inodesUsed };
  }

  /** Undefined unless it is an object. */
  containerFs(): ContainerFsStats | undefined {
    if (!this.#readFs()) return undefined;
    const { availableBytes, capacityBytes, usedBytes, inodes, inodesFree, inodesUsed } = this.#fs;
    return { availableBytes, capacityBytes, usedBytes, inodes, inodesFree, inodesUsed };
  }

  /** Undefined without a name. */
  volume(): VolumeSummary | undefined {
    const before = this.counts;
    const isObject = this.#readFs();
    const { name, hasClaim, timeMs, availableBytes, capacityBytes, usedBytes, inodesUsed } = this.#fs;
    if (isObject && name !== undefined)
      return { name, hasClaim, timeMs, availableBytes, capacityBytes, usedBytes, inodesUsed };
    this.counts = before;
    return undefined;
  }

  /** Whether it is an object. */
  #readFs(): boolean {
    const cursor = this.#cursor;
    const fs = this.#fs;
    fs.clear();
    if (!cursor.isAtObject) {
      cursor.skip();
      return false;
    }
    let seen = 0;
    let member = cursor.firstMember(fsShape);
    for (; member !== noMember; member = cursor.nextMember(fsShape, seen)) {
      seen |= member;
      this.#readFsMember(member);
    }
    return true;
  }

  #readFsMember(member: number): void {
    const fs = this.#fs;
    switch (member) {
      case ofFs.time:
        fs.timeMs = this.timeMs();
        return;
      case ofFs.availableBytes:
        fs.availableBytes = this.bytesOrCount();
        return;
      case ofFs.capacityBytes:
        fs.capacityBytes = this.bytesOrCount();
        return;
      case ofFs.usedBytes:
        fs.usedBytes = this.bytesOrCount();
        return;
      case ofFs.inodesFree:
        fs.inodesFree = this.bytesOrCount();
        return;
      case ofFs.inodes:
        fs.inodes = this.bytesOrCount();
        return;
      case ofFs.inodesUsed:
        fs.inodesUsed = this.bytesOrCount();
        return;
      default:
        this.#readVolumeMember(member);
    }
  }

  #readVolumeMember(member: number): void {
    if (member === ofFs.name) this.#fs.name = this.name();
    else if (member === ofFs.pvcRef) this.#fs.hasClaim = this.#cursor.skipObject();
    else this.#cursor.skip();
  }
}

/** The members of one filesystem, volume or not, while they are read. */
class FsMembers {
  timeMs: number | undefined;
  availableBytes: number | undefined;
  capacityBytes: number | undefined;
  usedBytes: number | undefined;
  inodes: number | undefined;
  inodesFree: number | undefined;
  inodesUsed: number | undefined;
  name: string | undefined;
  hasClaim = false;

  clear(): void {
    this.timeMs = undefined;
    this.availableBytes = undefined;
    this.capacityBytes = undefined;
    this.usedBytes = undefined;
    this.inodes = undefined;
    this.inodesFree = undefined;
    this.inodesUsed = undefined;
    this.name = undefined;
    this.hasClaim = false;
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string | undefined): number | undefined {
  return text === undefined || !rfc3339.test(text) ? undefined : Date.parse(text);
}
