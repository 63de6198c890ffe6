import { describe, expect, it } from 'vitest';

import { darkPalette, graphicPairs, lightPalette, textPairs } from '../../../src/status/html/palette.js';

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it('knows the contrast of black and white', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
])('in the %s scheme', (_name, palette) => {
  it.each(textPairs)('%s is read on %s', (text, background) => {
    expect(contrast(palette[text], palette[background])).toBeGreaterThanOrEqual(4.5);
  });

  it.each(graphicPairs)('%s is seen on %s', (part, background) => {
    expect(contrast(palette[part], palette[background])).toBeGreaterThanOrEqual(3);
  });
});
