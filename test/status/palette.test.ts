import { describe, expect, it } from 'vitest';

import { componentOrder } from '../../src/report/pod-report.js';
import { style } from '../../src/status/page-files.js';
import { colourOf, darkPalette, lightPalette } from '../support/palette.js';

/** Which text colour stands on which background. */
const textPairs = [
  ...['ink', 'muted', 'link'].flatMap((text) => ['page', 'panel'].map((background) => [text, background] as const)),
  ...['ok', 'warning', 'critical'].flatMap((state) => [
    [state, 'panel'] as const,
    [state, `${state}-back`] as const,
    ['ink', `${state}-back`] as const,
  ]),
];

/** Which colours of bars, marks and the focus ring stand on which background. */
const graphicPairs = [
  ...[...componentOrder, 'ink', 'ok-bar', 'warning-bar', 'critical-bar'].map((part) => [part, 'panel'] as const),
  ['link', 'page'] as const,
  ['link', 'panel'] as const,
];

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

it('the contrast of black and white is 21', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
])('the %s scheme', (_name, palette) => {
  it.each(textPairs)('%s can be read on %s', (text, background) => {
    expect(contrast(colourOf(palette, text), colourOf(palette, background))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(graphicPairs)('%s can be seen on %s', (part, background) => {
    expect(contrast(colourOf(palette, part), colourOf(palette, background))).toBeGreaterThanOrEqual(3);
  });
});

it('every colour that a bar or a rule refers to exists in both schemes', () => {
  const used = new Set(Array.from(style.matchAll(/var\(--([a-z-]+)\)/g), ([, role = '']) => role));
  expect([...used].filter((role) => !lightPalette.has(role) || !darkPalette.has(role))).toEqual([]);
  expect([...lightPalette.keys()].sort()).toEqual([...used].sort());
});
