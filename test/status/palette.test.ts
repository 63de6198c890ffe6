import { describe, expect, it } from 'vitest';

import { components as componentOrder } from '../../src/facts/node/usage.js';
import { style } from '../../src/people/status/page-files.js';
import { colourOf, darkPalette, lightPalette } from '../support/palette.js';

/** The parts of a disk, in the order in which they stand side by side. */
const diskParts = [...componentOrder, 'images', 'neither'];
const states = ['ok-bar', 'warning-bar', 'critical-bar'];

/** Which text colour stands on which background. */
const textPairs = [
  ...['ink', 'muted', 'link'].flatMap((text) => ['page', 'panel'].map((background) => [text, background] as const)),
  ...['ok', 'warning', 'critical'].flatMap((state) => [
    [state, 'panel'] as const,
    [state, `${state}-back`] as const,
    ['ink', `${state}-back`] as const,
  ]),
  // A warning among critical problems.
  ['warning', 'critical-back'] as const,
];

/** Which colours of bars, marks and the focus ring stand on which background. */
const graphicPairs = [
  ...[...diskParts, 'ink', 'ok-bar', 'warning-bar', 'critical-bar'].map((part) => [part, 'panel'] as const),
  ['link', 'page'] as const,
  ['link', 'panel'] as const,
];

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => channelOf(colour, start));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Linear, from 0 to 1. */
function channelOf(colour: string, start: number): number {
  const channel = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}

/**
 * What people see who lack one kind of cones, in linear RGB: Machado, Oliveira and Fernandes, "A Physiologically-based Model
 * for Simulation of Color Vision Deficiency", 2009, severity 1.
 */
const visions: Readonly<Record<string, readonly (readonly [number, number, number])[]>> = {
  'all cones': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** CIE 1976 difference of two colours as seen: about 2 is just visible side by side. */
function difference(vision: string, a: string, b: string): number {
  const [ofA, ofB] = [lab(vision, a), lab(vision, b)];
  return Math.hypot(...ofA.map((value, index) => value - (ofB[index] ?? 0)));
}

function lab(vision: string, colour: string): readonly number[] {
  const linear = [1, 3, 5].map((start) => channelOf(colour, start));
  const [red = 0, green = 0, blue = 0] = (visions[vision] ?? []).map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, weight, index) => sum + weight * (linear[index] ?? 0), 0),
      ),
    ),
  );
  const [x = 0, y = 0, z = 0] = [
    (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
    0.2126 * red + 0.7152 * green + 0.0722 * blue,
    (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
  ].map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
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

  it.each(Object.keys(visions))('parts side by side and states differ visibly with %s', (vision) => {
    const neighbours = diskParts.slice(1).map((part, index) => [diskParts[index] ?? '', part] as const);
    const pairs = [...neighbours, ...states.map((state, index) => [state, states[(index + 1) % 3] ?? ''] as const)];
    const near = pairs.filter(([a, b]) => difference(vision, colourOf(palette, a), colourOf(palette, b)) < 12);
    expect(near).toEqual([]);
  });
});

it('every colour that a bar or a rule refers to exists in both schemes', () => {
  const used = new Set(Array.from(style.matchAll(/var\(--([a-z-]+)\)/g), ([, role = '']) => role));
  expect([...used].filter((role) => !lightPalette.has(role) || !darkPalette.has(role))).toEqual([]);
  expect([...lightPalette.keys()].sort()).toEqual([...used].sort());
});
