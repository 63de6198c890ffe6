import type { Response } from 'express';

import type { Clock } from '../base/clock.js';

const key = 'arrivalMs';

/** Notes when the request of this response arrived: what holds it up before its endpoint comes off its time. */
export function noteArrival({ locals }: Response, clock: Clock): void {
  locals[key] = clock.monotonicMs();
}

/** When it arrived, in monotonic milliseconds; now when nobody has noted it. */
export function arrivalMs({ locals }: Response, clock: Clock): number {
  const noted: unknown = locals[key];
  return typeof noted === 'number' ? noted : clock.monotonicMs();
}
