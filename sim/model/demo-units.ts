import type { Growth } from './growth.js';

export const kib = 2 ** 10;
export const mib = 2 ** 20;
export const gib = 2 ** 30;
export const minuteMs = 60_000;

/** Content that does not grow. */
export const still = (initialBytes: number): Growth => ({ initialBytes });
