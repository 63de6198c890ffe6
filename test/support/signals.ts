import { setMaxListeners } from 'node:events';

/** For work that ends by itself. */
export const never: AbortSignal = new AbortController().signal;
setMaxListeners(0, never);
