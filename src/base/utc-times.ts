/** Of `2026-11-20T12:40:44Z`. */
export const utcTimeLength = 20;

const hyphen = 0x2d;
const colon = 0x3a;
const letterT = 0x54;
const letterZ = 0x5a;
const zero = 0x30;

/** By month, without leap days. */
const dayCounts = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads times from bytes in the form of Kubernetes. Most are of the same day as the one before. */
export class UtcTimes {
  /** Year, month and day as the digits of one number. */
  #day = 0;
  #dayMs = 0;

  /** Milliseconds since the epoch. Undefined for another form, a leap day, or a year before 100. */
  read(bytes: Uint8Array, at: number): number | undefined {
    if (!hasSeparators(bytes, at)) return undefined;
    const dayMs = this.#dayMsOf(bytes, at);
    const hours = twoDigits(bytes, at + 11);
    const minutes = twoDigits(bytes, at + 14);
    const seconds = twoDigits(bytes, at + 17);
    if (dayMs === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined;
    return dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  }

  #dayMsOf(bytes: Uint8Array, at: number): number | undefined {
    const century = twoDigits(bytes, at);
    const yearOfCentury = twoDigits(bytes, at + 2);
    const month = twoDigits(bytes, at + 5);
    const dayOfMonth = twoDigits(bytes, at + 8);
    if (century < 1 || century > 99 || yearOfCentury > 99 || !isDayOf(month, dayOfMonth)) return undefined;
    const year = century * 100 + yearOfCentury;
    const day = (year * 100 + month) * 100 + dayOfMonth;
    if (day === this.#day) return this.#dayMs;
    this.#day = day;
    this.#dayMs = Date.UTC(year, month - 1, dayOfMonth);
    return this.#dayMs;
  }
}

function hasSeparators(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at + 4] === hyphen &&
    bytes[at + 7] === hyphen &&
    bytes[at + 10] === letterT &&
    bytes[at + 13] === colon &&
    bytes[at + 16] === colon &&
    bytes[at + 19] === letterZ
  );
}

function isDayOf(month: number, dayOfMonth: number): boolean {
  return dayOfMonth >= 1 && dayOfMonth <= (dayCounts[month] ?? 0);
}

/** 100 when one of the bytes is no digit. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - zero;
  const ones = (bytes[at + 1] ?? 0) - zero;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
}
