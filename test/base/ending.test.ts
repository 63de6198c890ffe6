import { describe, expect, it } from 'vitest';

import { Ending, endOf } from '../../src/base/ending.js';

async function toldBy(running: Promise<void>, isStopped: boolean): Promise<readonly string[]> {
  const stopping = new AbortController();
  if (isStopped) stopping.abort(new Error('stopped'));
  const told: string[] = [];
  await endOf({
    name: 'the watch of pods',
    running,
    signal: stopping.signal,
    onUnexpectedEnd: ({ message }) => told.push(message),
  });
  return told;
}

describe('the end of a part', () => {
  it.each<[string, () => Promise<void>, boolean, readonly string[]]>([
    ['after it was stopped is expected', () => Promise.resolve(), true, []],
    ['before is not', () => Promise.resolve(), false, ['the watch of pods has ended, although nothing stopped it']],
    ['by an error is not', () => Promise.reject(new Error('no')), false, ['the watch of pods has ended: no']],
    [
      'by an error is not, also when it was stopped',
      () => Promise.reject(new Error('no')),
      true,
      ['the watch of pods has ended: no'],
    ],
  ])('%s', async (_case, run, isStopped, expected) => {
    expect(await toldBy(run(), isStopped)).toEqual(expected);
  });
});

describe('work', () => {
  it('has its result while all parts go on, and after they were stopped', async () => {
    const ending = new Ending();
    await expect(ending.during(Promise.resolve(1))).resolves.toBe(1);
    ending.stopped();
    await expect(ending.during(Promise.resolve(2))).resolves.toBe(2);
    await expect(ending.during(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('is not waited for once a part has failed', async () => {
    const ending = new Ending();
    const working = ending.during(new Promise(() => undefined));
    ending.failed(new Error('the watch of pods has ended: no'));
    await expect(working).rejects.toThrow('the watch of pods has ended: no');
  });
});

describe('done', () => {
  it('resolves once all has been stopped', async () => {
    const ending = new Ending();
    ending.stopped();
    ending.failed(new Error('too late'));
    await expect(ending.done).resolves.toBeUndefined();
  });

  it('rejects with the first error, and stays so', async () => {
    const ending = new Ending();
    ending.failed(new Error('first'));
    ending.failed(new Error('second'));
    ending.stopped();
    await expect(ending.done).rejects.toThrow('first');
  });
});
