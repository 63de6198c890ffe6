import { describe, expect, it } from 'vitest';

import { Precedence } from '../../src/base/precedence.js';
import { ManualClock } from '../support/manual-clock.js';

/** Which gates are closed. */
function closed({ background, requests }: Precedence): string {
  return [background.isClosed && 'background', requests.isClosed && 'requests'].filter(Boolean).join(' ');
}

describe('urgent work', () => {
  it('closes the background while it runs, and requests once it waits for none', () => {
    const precedence = new Precedence(new ManualClock());
    const found = [closed(precedence)];
    const note = () => found.push(closed(precedence));
    const work = precedence.begin();
    note();
    work.endWait();
    note();
    work.endWait();
    note();
    work[Symbol.dispose]();
    note();
    expect(found).toEqual(['', 'background', 'background requests', 'background requests', '']);
  });

  it('keeps requests closed as long as any of it waits for none', () => {
    const precedence = new Precedence(new ManualClock());
    const [one, two] = [precedence.begin(), precedence.begin()];
    expect(closed(precedence)).toBe('background');
    one.endWait();
    expect(closed(precedence)).toBe('background requests');
    two.endWait();
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    expect(closed(precedence)).toBe('background requests');
    const three = precedence.begin();
    two[Symbol.dispose]();
    expect(closed(precedence)).toBe('background');
    three[Symbol.dispose]();
    expect(closed(precedence)).toBe('');
  });
});
