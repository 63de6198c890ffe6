import type { IncomingMessage } from 'node:http';

import { livenessPaths, readinessPaths } from '../../config/served-paths.js';

const probePaths: readonly (string | undefined)[] = [...livenessPaths, ...readinessPaths];

/** Whether a request asks how the process is, as the kubelet does. */
export function isProbe({ url }: Pick<IncomingMessage, 'url'>): boolean {
  return probePaths.includes(url?.split('?', 1)[0]);
}
