import { describe, expect, it } from 'vitest';

import { Gate } from '../../src/base/gate.js';
import { ManualClock } from '../support/manual-clock.js';

function setUp() {
  const clock = new ManualClock();
  const gate = new Gate(clock);
  const passed: string[] = [];
  const come = (name: string, maxClosedMs = 5_000): void => {
    void gate.passed(maxClosedMs).then(() => passed.push(name));
  };
  return { clock, gate, passed, come };
}

describe('a gate', () => {
  it('lets all pass at once while it is open', async () => {
    const { gate, clock } = setUp();
    await gate.passed(5_000);
    expect(clock.sleeperCount).toBe(0);
  });

  it('lets those that wait pass when it opens', async () => {
    const { gate, clock, passed, come } = setUp();
    gate.isClosed = true;
    come('one');
    come('two');
    await clock.advance(4_999);
    expect(passed).toEqual([]);
    gate.isClosed = false;
    await clock.advance(0);
    expect([passed, clock.sleeperCount]).toEqual([['one', 'two'], 0]);
  });

  it('lets each pass when it has been closed for as long as that one accepts, however late it came', async () => {
    const { gate, clock, passed, come } = setUp();
    gate.isClosed = true;
    come('patient', 6_000);
    await clock.advance(4_000);
    come('late');
    await clock.advance(1_000);
    expect(passed).toEqual(['late']);
    come('next');
    await clock.advance(0);
    expect(passed).toEqual(['late', 'next']);
    await clock.advance(1_000);
    expect(passed).toEqual(['late', 'next', 'patient']);
  });

  it('keeps nobody longer when it opens for moments only', async () => {
    const { gate, clock, passed, come } = setUp();
    for (let second = 0; second < 20; second += 1) {
      gate.isClosed = true;
      come(`at ${second}`);
      await clock.advance(1_000);
      if (second > 5) expect(passed).toContain(`at ${second}`);
      gate.isClosed = false;
      await clock.advance(1);
    }
    gate.isClosed = true;
    come('during a long run');
    await clock.advance(0);
    expect(passed).toContain('during a long run');
  });

  it('starts again after it was open for a second', async () => {
    const { gate, clock, passed, come } = setUp();
    gate.isClosed = true;
    await clock.advance(10_000);
    gate.isClosed = false;
    await clock.advance(1_000);
    gate.isClosed = true;
    come('one');
    await clock.advance(4_999);
    expect(passed).toEqual([]);
    await clock.advance(1);
    expect(passed).toEqual(['one']);
  });
});
