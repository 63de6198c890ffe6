import { expect, it } from 'vitest';

import { bar } from '../../../src/people/status/html/bar.js';

function partsOf(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/<rect class="(\S+?)(?: \w+)?"(?: x="(\S+)%")?(?: y="\S+")? width="(\S+?)%?"/g),
    ([, name, x, width]) => [name, x, width].join(' '),
  );
}

const segment = (colour: string, amount: number) => ({ colour, label: colour, amount });

it('a bar is cut off at its end and shows very small amounts', () => {
  const { text } = bar({ segments: [segment('logs', 0.001), segment('rootfs', 500)], scale: 100, text: '' });
  expect(partsOf(text)).toEqual(['f-track  100', 'f-logs 0 0.4', 'f-rootfs 0.4 99.6']);
});

it('a bar has its marks in place, none beyond its end', () => {
  const marks = [
    { kind: 'limit', label: '', amount: 80 },
    { kind: 'request', label: '', amount: 101 },
  ] as const;
  expect(partsOf(bar({ segments: [], marks, scale: 100, text: '' }).text)).toEqual(['f-track  100', 'mark 80 2']);
});
