import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import { createInterner } from '../../src/kube/interner.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A new string object each time, as a JSON parser makes them; a megabyte for a thousand of them. */
function parsedText(text: string): string {
  return Buffer.from(text.padEnd(1000, '.')).toString('latin1');
}

const megabyte = 1024 * 1024;
const texts = (count: number, textOf: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => parsedText(textOf(index)));

describe('createInterner', () => {
  it('gives the text that it was asked for, whatever came before', () => {
    const intern = createInterner(2);
    const asked = ['a', 'b', 'c', 'a', '', '__proto__', 'constructor', 'c', 'b'];
    expect(asked.map(intern)).toEqual(asked);
  });

  it('keeps one string object for equal texts', () => {
    const intern = createInterner(10);
    const before = heapBytes();
    const kept = texts(20_000, () => 'same').map(intern);
    expect(heapBytes() - before).toBeLessThan(5 * megabyte);
    expect(kept).toHaveLength(20_000);
  });

  it('forgets texts above its capacity', () => {
    const intern = createInterner(10);
    const before = heapBytes();
    texts(20_000, String).forEach(intern);
    expect(heapBytes() - before).toBeLessThan(5 * megabyte);
    expect(intern('1')).toBe('1');
  });
});
