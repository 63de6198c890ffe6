import { expect, it } from 'vitest';

import {
  decodeKubeletConfiguration,
  imageSettingsOf,
  logRotationOf,
} from '../../src/cluster/kubelet/decode-configuration.js';
import { aThreshold } from '../support/builders.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';

const what = 'configuration of node node-1';

it.each([
  ['<html>', `${what}: 6 bytes that are not JSON`],
  ['', `${what}: 0 bytes that are not JSON`],
  ['[]', `${what}: JSON that is not a configuration: it has no kubeletconfig`],
  ['null', 'it has no kubeletconfig'],
  ['{"kind":"Status","code":403}', 'it has no kubeletconfig'],
  ['{"kubeletconfig":"none"}', 'it has no kubeletconfig'],
])('the body %j is no configuration', (body, message) => {
  const decode = () => decodeKubeletConfiguration(Buffer.from(body), what);
  expect(decode).toThrow(message);
  expect(decode).toThrow(expect.objectContaining({ name: 'RequestError', reason: 'decode' }) as Error);
});

it.each([
  ['digits', '1'.repeat(200_000)],
  ['digits before a percent sign', `${'1'.repeat(200_000)}x%`],
  ['digits before a unit', `${'9'.repeat(200_000)}Ki`],
  ['times', `${'1s'.repeat(100_000)}x`],
])('a configuration is decoded in a moment, with values of any length: %s', (_case, value) => {
  const kubeletconfig = {
    evictionHard: { 'nodefs.available': value },
    evictionSoft: { 'imagefs.available': '1Gi' },
    evictionSoftGracePeriod: { 'imagefs.available': value },
    containerLogMaxSize: value,
  };
  // With time that grows with the square of the length, this would take minutes.
  expect(decodeKubeletConfiguration(JSON.stringify({ kubeletconfig }), what).thresholds.length).toBeLessThan(2);
});

it.skipIf(!hasCaptures)(`the configuration of a kubelet is understood (${capturesNeeded})`, () => {
  const [, body = ''] = readRecording('live/kubelet_configz.http').split(/\r?\n\r?\n/);
  const ratio = Math.fround(0.01);
  expect(decodeKubeletConfiguration(body, what)).toEqual({
    thresholds: [
      aThreshold({ signal: 'nodefs.available', value: { ratio } }),
      aThreshold({ signal: 'imagefs.available', value: { ratio } }),
    ],
    logRotation: { maxFileBytes: 10 * 2 ** 20, maxFileCount: 5 },
    images: { highThresholdPercent: 100, lowThresholdPercent: 99, minAgeMs: 120_000, maxListedCount: 50 },
  });
});

const mib = 2 ** 20;

it.each([
  [
    'as configured',
    { containerLogMaxSize: '50Mi', containerLogMaxFiles: 2 },
    { maxFileBytes: 50 * mib, maxFileCount: 2 },
  ],
  ['the defaults for what is missing', {}, { maxFileBytes: 10 * mib, maxFileCount: 5 }],
  ['none with a negative size', { containerLogMaxSize: '-1' }, undefined],
  ['unknown with a size that is no quantity', { containerLogMaxSize: 'ten' }, undefined],
  ['unknown with a size of another type', { containerLogMaxSize: 10 }, undefined],
  ['unknown with fewer than two files', { containerLogMaxFiles: 1 }, undefined],
  ['unknown with a count of another type', { containerLogMaxFiles: '5' }, undefined],
])('the rotation of logs is %s', (_case, config, expected) => {
  expect(logRotationOf(config)).toEqual(expected);
});

it.each([
  ['the defaults for what is missing', {}, { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 120_000 }],
  ['50 listed images by default', {}, { maxListedCount: 50 }],
  [
    'as configured',
    {
      imageGCHighThresholdPercent: 70,
      imageGCLowThresholdPercent: 70,
      imageMinimumGCAge: '1h0m0s',
      nodeStatusMaxImages: -1,
    },
    { highThresholdPercent: 70, lowThresholdPercent: 70, minAgeMs: 3_600_000, maxListedCount: -1 },
  ],
])('the settings of images are %s', (_case, config, expected) => {
  expect(imageSettingsOf(config)).toMatchObject(expected);
});

it.each([
  { imageGCHighThresholdPercent: 101 },
  { imageGCHighThresholdPercent: '85' },
  { imageGCHighThresholdPercent: 79 },
  { imageGCLowThresholdPercent: 86 },
  { imageGCLowThresholdPercent: -1 },
  { imageGCLowThresholdPercent: 0.5 },
  { imageMinimumGCAge: 'soon' },
  { nodeStatusMaxImages: -2 },
])('the settings of images are unknown with %j, which no kubelet starts with', (config) => {
  expect(imageSettingsOf(config)).toBeUndefined();
});
