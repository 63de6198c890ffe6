import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeEvictionThresholds, type Threshold } from '../../src/kubelet/eviction-thresholds.js';
import { capturesNeeded, hasCaptures, readRecording } from '../support/captures.js';

const what = 'configuration of node node-1';
const none = { available: undefined, inodesFree: undefined };

function decoded(evictionHard: unknown) {
  return decodeEvictionThresholds(JSON.stringify({ kubeletconfig: { evictionHard } }), what);
}

function thresholdOf(value: unknown): Threshold | undefined {
  return decoded({ 'nodefs.available': value }).nodefs.available;
}

describe('the thresholds', () => {
  it('are those of the hard signals for disks', () => {
    const thresholds = decoded({
      'memory.available': '100Mi',
      'pid.available': '10%',
      'nodefs.available': '1Gi',
      'nodefs.inodesFree': '25%',
      'imagefs.available': '50%',
      'imagefs.inodesFree': '1k',
      'containerfs.available': '1%',
    });
    expect(thresholds).toEqual({
      nodefs: { available: { amount: 2 ** 30 }, inodesFree: { ratio: 0.25 } },
      imagefs: { available: { ratio: 0.5 }, inodesFree: { amount: 1000 } },
    });
  });

  it('are none for a signal that the configuration in force does not have', () => {
    expect(decoded({ 'imagefs.available': '50%' })).toEqual({
      nodefs: none,
      imagefs: { available: { ratio: 0.5 }, inodesFree: undefined },
    });
  });

  it('are not the soft ones', () => {
    const body = JSON.stringify({ kubeletconfig: { evictionSoft: { 'nodefs.available': '20%' } } });
    expect(decodeEvictionThresholds(body, what)).toEqual({ nodefs: none, imagefs: none });
  });

  it.each([
    ['is missing', undefined],
    ['is null', null],
    ['is empty', {}],
    ['is a list', ['nodefs.available<10%']],
    ['is a text', 'nodefs.available<10%'],
  ])('are none where evictionHard %s', (_case, evictionHard) => {
    expect(decoded(evictionHard)).toEqual({ nodefs: none, imagefs: none });
  });
});

describe('a threshold', () => {
  it.each<[string, Threshold | undefined]>([
    ['100Mi', { amount: 104_857_600 }],
    ['1.5Gi', { amount: 1_610_612_736 }],
    ['1e9', { amount: 1_000_000_000 }],
    ['12', { amount: 12 }],
    ['50%', { ratio: 0.5 }],
    ['12.5%', { ratio: 0.125 }],
    ['10%', { ratio: 0.10000000149011612 }], // the float32 next to 0.1
    ['.5%', { ratio: Math.fround(0.005) }],
    ['100.0%', { ratio: 1 }],
    ['0%', undefined],
    ['100%', undefined],
    ['100.1%', undefined],
    ['-5%', undefined],
    ['%', undefined],
    ['ten%', undefined],
    ['10 %', undefined],
    ['0', undefined],
    ['-1Gi', undefined],
    ['1GiB', undefined],
    ['', undefined],
  ])('%j is %j', (text, expected) => {
    expect(thresholdOf(text)).toEqual(expected);
  });

  it.each([[10], [true], [null], [{}], [['10%']]])('that is no text is none: %j', (value) => {
    expect(thresholdOf(value)).toBeUndefined();
  });

  it('is never a ratio outside 0 to 1, nor an amount of nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.float().map(String),
          fc.double().map((part) => `${part}%`),
        ),
        (text) => {
          const threshold = thresholdOf(text);
          if (threshold === undefined) return;
          if ('ratio' in threshold) expect(threshold.ratio >= 0 && threshold.ratio <= 1).toBe(true);
          else expect(threshold.amount).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('a body', () => {
  it.each([
    ['<html>', `${what}: 6 bytes that are not JSON`],
    ['', `${what}: 0 bytes that are not JSON`],
    ['[]', `${what}: JSON that is not a configuration: it has no kubeletconfig`],
    ['null', 'it has no kubeletconfig'],
    ['{"kind":"Status","code":403}', 'it has no kubeletconfig'],
    ['{"kubeletconfig":"none"}', 'it has no kubeletconfig'],
  ])('%j is no configuration', (body, message) => {
    const decode = () => decodeEvictionThresholds(Buffer.from(body), what);
    expect(decode).toThrow(message);
    expect(decode).toThrow(expect.objectContaining({ name: 'RequestError', reason: 'decode' }) as Error);
  });

  it.skipIf(!hasCaptures)(`of a kubelet is understood (${capturesNeeded})`, () => {
    const [, body = ''] = readRecording('live/kubelet_configz.http').split(/\r?\n\r?\n/);
    const ratio = Math.fround(0.01);
    expect(decodeEvictionThresholds(body, what)).toEqual({
      nodefs: { available: { ratio }, inodesFree: undefined },
      imagefs: { available: { ratio }, inodesFree: undefined },
    });
  });
});
