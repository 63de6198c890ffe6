import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';

import { comparePassword, PasswordChecker } from '../../src/serve/access/password-checker.js';
import type { Verdict } from '../../src/serve/access/verdict.js';
import { aLogger } from '../server/test-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { never } from '../support/signals.js';

const hashes = new Map([['alice', 'hash of right']]);

interface World {
  readonly checker: PasswordChecker;
  readonly clock: ManualClock;
  readonly compared: string[];
  readonly lines: readonly string[];
  readonly check: (password: string, options?: { user?: string; client?: string }) => Promise<Verdict>;
}

/** A comparison takes 100 ms; `right` is right. */
function aWorld(): World {
  const clock = new ManualClock();
  const logger = aLogger();
  const compared: string[] = [];
  const checker = new PasswordChecker({
    clock,
    logger,
    compare: async (password, hash, signal) => {
      compared.push(password);
      if (password === 'broken') throw new Error('no thread');
      await clock.sleep(100, signal);
      return hash === `hash of ${password}`;
    },
  });
  return {
    checker,
    clock,
    compared,
    lines: logger.lines,
    check: (password, { user = 'alice', client = '192.0.2.1' } = {}) =>
      checker.check({ user, password, client }, hashes),
  };
}

describe('PasswordChecker', () => {
  it.each([
    ['alice', 'right', 'allowed'],
    ['alice', 'wrong', 'unauthenticated'],
    ['alice', '', 'unauthenticated'],
    ['bob', 'right', 'unauthenticated'],
    ['', 'right', 'unauthenticated'],
    ['Alice', 'right', 'unauthenticated'],
  ])('finds %s with the password %j %s, by a comparison', async (user, password, verdict) => {
    const { check, clock, compared } = aWorld();
    const result = check(password, { user });
    await clock.advance(100);
    expect(await result).toBe(verdict);
    expect(compared).toEqual([password]);
  });

  it('compares a password once, however often it is sent, at once or later', async () => {
    const { check, clock, compared } = aWorld();
    for (const [password, verdict] of [
      ['right', 'allowed'],
      ['wrong', 'unauthenticated'],
    ] as const) {
      const results = [check(password), check(password), check(password)];
      await clock.advance(600);
      expect(await Promise.all(results)).toEqual([verdict, verdict, verdict]);
      await clock.advance(86_400_000);
      expect(await check(password)).toBe(verdict);
    }
    expect(compared).toEqual(['right', 'wrong']);
  });

  it('forgets what it has found when the hash changes', async () => {
    const { checker, check, clock } = aWorld();
    const result = check('right');
    await clock.advance(100);
    expect(await result).toBe('allowed');
    const attempt = { user: 'alice', password: 'right', client: '192.0.2.1' };
    const later = checker.check(attempt, new Map([['alice', 'hash of other']]));
    const gone = checker.check(attempt, new Map([['bob', 'hash of right']]));
    await clock.advance(1_000);
    expect([await later, await gone]).toEqual(['unauthenticated', 'unauthenticated']);
  });

  it('lets a client that is known pass during a flood of wrong passwords', async () => {
    const { check, clock, compared } = aWorld();
    const first = check('right');
    await clock.advance(100);
    await first;
    const flood = Array.from({ length: 500 }, (_, index) =>
      check(`wrong ${index}`, { client: `192.0.2.${index % 50}` }),
    );
    expect(await check('right')).toBe('allowed');
    await clock.advance(3_600_000);
    const verdicts = await Promise.all(flood);
    expect(verdicts.filter((verdict) => verdict === 'busy').length).toBe(500 - 65);
    expect(compared.length).toBe(66);
    expect(await check('right')).toBe('allowed');
    expect(compared.length).toBe(66);
  });

  it('gives a new client its turn after one attempt of another', async () => {
    const { check, clock, compared } = aWorld();
    const flood = Array.from({ length: 50 }, (_, index) => check(`wrong ${index}`));
    const result = check('right', { client: '192.0.2.2' });
    await clock.advance(100 + 400 + 100 + 400 + 100);
    expect(await result).toBe('allowed');
    expect(compared.slice(0, 3)).toEqual(['wrong 0', 'wrong 1', 'right']);
    await clock.advance(3_600_000);
    expect((await Promise.all(flood)).filter((verdict) => verdict === 'busy').length).toBe(50 - 5);
  });

  it('takes a fifth of a processor at most for wrong passwords', async () => {
    const { check, clock, compared } = aWorld();
    const attack = async (): Promise<void> => {
      for (let count = 0; count < 4; count += 1) {
        await Promise.all([1, 2, 3, 4].map((index) => check(`wrong ${count} ${index}`)));
      }
    };
    const attacking = attack();
    await clock.advance(4_999);
    expect(compared.length).toBe(10);
    await clock.advance(60_000);
    await attacking;
  });

  it('lets nobody in when a comparison fails, and says so without the password', async () => {
    const { check, lines } = aWorld();
    expect(await check('broken')).toBe('unavailable');
    expect(lines).toEqual(['error a password could not be checked {"error":"no thread"}']);
    expect(await check('broken')).toBe('unavailable');
  });

  it('ends its comparison, and its rest, when it is disposed of', async () => {
    const { checker, check, clock, lines } = aWorld();
    const [running, waiting] = [check('wrong'), check('right')];
    await clock.advance(100);
    expect(await running).toBe('unauthenticated');
    checker[Symbol.dispose]();
    expect(await waiting).toBe('unavailable');
    expect([clock.sleeperCount, lines]).toEqual([0, []]);
  });
});

describe('comparePassword', () => {
  const hash = hashSync('größe: ok', 4);

  it.each([
    ['größe: ok', hash, true],
    ['größe: OK', hash, false],
    ['', hash, false],
    ['größe: ok', hash.replace('$2b$', '$2y$'), true],
    ['größe: ok', hash.replace('$2b$', '$2a$'), true],
    ['größe: ok', `${hash}x`, false],
    ['größe: ok', hash.replace('$2b$', '$1$'), false],
    ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', true],
  ])('the comparison of %j with %s is: %s', async (password, of, expected) => {
    expect(await comparePassword(password, of, never)).toBe(expected);
  });

  it('a comparison of a password leaves the event loop free', async () => {
    let turnCount = 0;
    const counting = setInterval(() => (turnCount += 1), 1);
    await comparePassword('wrong', hash.replace('$04$', '$11$'), never);
    clearInterval(counting);
    expect(turnCount).toBeGreaterThan(20);
  });

  it('a comparison of a password ends with its signal', async () => {
    const stopping = new AbortController();
    const comparing = comparePassword('wrong', hash.replace('$04$', '$20$'), stopping.signal);
    setImmediate(() => {
      stopping.abort(new Error('stopped'));
    });
    await expect(comparing).rejects.toThrow();
    await expect(comparePassword('wrong', hash, stopping.signal)).rejects.toThrow('stopped');
  });
});
