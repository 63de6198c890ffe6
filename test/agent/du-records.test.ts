import { describe, expect, it } from 'vitest';

import { DuMessages, DuRecords } from '../../src/agent/du-records.js';

const pushed = (records: DuRecords, ...chunks: readonly Buffer[]) =>
  chunks.flatMap((chunk) => [...records.push(chunk)]);

describe('the output of du', () => {
  const output = Buffer.from('4096\t/a/\xff\n\t\0' + '8192\t/a\0', 'latin1');
  const entries = [
    { usedBytes: 4096, rawPath: '/a/\xff\n\t' },
    { usedBytes: 8192, rawPath: '/a' },
  ];

  it('becomes the same records wherever its chunks end', () => {
    for (let cut = 0; cut <= output.length; cut += 1) {
      expect(pushed(new DuRecords(), output.subarray(0, cut), output.subarray(cut))).toEqual(entries);
    }
    expect(pushed(new DuRecords(), ...[...output].map((byte) => Buffer.of(byte)))).toEqual(entries);
  });

  it.each([
    ['without a tab', '4096 /a\0'],
    ['without a size', '\t/a\0'],
    ['with a size below 0', '-4096\t/a\0'],
    ['with a size beyond what a number holds', '90071992547409930\t/a\0'],
    ['that is empty', '\0'],
  ])('a record %s is counted and skipped', (_case, text) => {
    const records = new DuRecords();
    expect(pushed(records, Buffer.from(`${text}1\t/b\0`))).toEqual([{ usedBytes: 1, rawPath: '/b' }]);
    expect(records.malformedCount).toBe(1);
  });
});

describe('the messages of du', () => {
  it('count what could not be read, without what has vanished', () => {
    const messages = new DuMessages();
    const text = [
      "du: cannot access '/a/x'$'\\n''y': No such file or directory",
      "du: cannot read directory '/a/b: No such file or directory': Permission denied",
      "du: cannot access '/a/c': No such file or directory\n",
    ].join('\n');
    for (const part of [text.slice(0, 30), text.slice(30)]) messages.push(Buffer.from(part));
    expect(messages.unreadableCount).toBe(1);
    expect(messages.first).toContain('Permission denied');
  });
});
