/** A thread for one comparison, which takes about 100 ms. */
import { parentPort, workerData } from 'node:worker_threads';

import { compareSync } from 'bcryptjs';

function isSame({ password, hash }) {
  try {
    return compareSync(password, hash);
  } catch {
    return false; // no password has a hash of an unknown version
  }
}

parentPort.postMessage(isSame(workerData));
