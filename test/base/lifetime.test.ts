import { expect, it } from 'vitest';

import { Lifetime, supervise } from '../../src/lib/base/lifetime.js';

async function toldBy(running: Promise<void>, isStopped: boolean): Promise<readonly string[]> {
  const stopping = new AbortController();
  if (isStopped) stopping.abort(new Error('stopped'));
  const told: string[] = [];
  await supervise({
    name: 'the watch of pods',
    running,
    signal: stopping.signal,
    onUnexpectedEnd: ({ message }) => told.push(message),
  });
  return told;
}

it.each<[string, () => Promise<void>, boolean, readonly string[]]>([
  ['after it was stopped is expected', () => Promise.resolve(), true, []],
  [
    'before it was stopped is not expected',
    () => Promise.resolve(),
    false,
    ['the watch of pods has ended, although nothing stopped it'],
  ],
  ['by an error is not expected', () => Promise.reject(new Error('no')), false, ['the watch of pods has ended: no']],
  [
    'by an error is not expected, also when it was stopped',
    () => Promise.reject(new Error('no')),
    true,
    ['the watch of pods has ended: no'],
  ],
])('the end of a part %s', async (_case, run, isStopped, expected) => {
  expect(await toldBy(run(), isStopped)).toEqual(expected);
});

it('work has its result while all parts go on, and after they were stopped', async () => {
  const lifetime = new Lifetime();
  await expect(lifetime.during(Promise.resolve(1))).resolves.toBe(1);
  lifetime.stopped();
  await expect(lifetime.during(Promise.resolve(2))).resolves.toBe(2);
  await expect(lifetime.during(Promise.reject(new Error('no')))).rejects.toThrow('no');
});

it('work is not waited for once a part has failed', async () => {
  const lifetime = new Lifetime();
  const working = lifetime.during(new Promise(() => undefined));
  lifetime.failed(new Error('the watch of pods has ended: no'));
  await expect(working).rejects.toThrow('the watch of pods has ended: no');
});

it('a lifetime is done once all has been stopped', async () => {
  const lifetime = new Lifetime();
  lifetime.stopped();
  lifetime.failed(new Error('too late'));
  await expect(lifetime.done).resolves.toBeUndefined();
});

it('a lifetime rejects with the first error, and stays so', async () => {
  const lifetime = new Lifetime();
  lifetime.failed(new Error('first'));
  lifetime.failed(new Error('second'));
  lifetime.stopped();
  await expect(lifetime.done).rejects.toThrow('first');
});
