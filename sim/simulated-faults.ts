import { UserError } from '../src/lib/base/errors.js';

const plainFaults = [
  'hang',
  'truncated',
  'wrong-body',
  'html',
  'expired-certificate',
  'reset',
  'empty',
  'restarted',
  'redirect',
  'down',
] as const;

/**
 * A fault of a simulated kubelet:
 * `slow:MS` responds after MS milliseconds; `hang` never responds; `status:CODE` responds with that status; `truncated`
 * ends the connection within the body; `wrong-body` responds with JSON that is not a summary; `html` responds with a web
 * page; `expired-certificate` serves an expired certificate; `reset` resets the connection; `empty` knows no pods;
 * `restarted` has to measure the volumes again; `redirect` redirects to another host; `down` refuses connections.
 */
export type Fault = (typeof plainFaults)[number] | `slow:${number}` | `status:${number}`;

const cacheFaults = ['empty', 'half-empty'] as const;

/** What lists lack that do not ask for the newest state: all objects, or every second one. */
export type CacheFault = (typeof cacheFaults)[number];

/** A fault of the simulated API server. `lost-events`: its watches send bookmarks and nothing else. */
export type ApiFault = 'down' | 'lost-events' | CacheFault | `status:${number}`;

export function isCacheFault(fault: string | undefined): fault is CacheFault {
  return cacheFaults.some((known) => known === fault);
}

export function parseFault(text: string): Fault {
  const plain = plainFaults.find((fault) => fault === text);
  if (plain !== undefined) return plain;
  const slow = /^slow:(\d+)$/.exec(text);
  if (slow !== null) return `slow:${Number(slow[1])}`;
  const status = statusFault(text);
  if (status !== undefined) return status;
  throw new UserError(`unknown fault "${text}"; allowed: slow:MS, status:CODE, ${plainFaults.join(', ')}`);
}

export function parseApiFault(text: string): ApiFault {
  const isPlain = text === 'down' || text === 'lost-events' || isCacheFault(text);
  const fault = isPlain ? text : statusFault(text);
  if (fault !== undefined) return fault;
  throw new UserError(
    `unknown fault of the API server "${text}"; allowed: status:CODE, down, lost-events, ${cacheFaults.join(', ')}`,
  );
}

function statusFault(text: string): `status:${number}` | undefined {
  const status = /^status:([45]\d\d)$/.exec(text);
  return status === null ? undefined : `status:${Number(status[1])}`;
}

/** The number after `slow:` or `status:`; undefined for other faults. */
export function faultNumber(fault: Fault | ApiFault | undefined, kind: 'slow' | 'status'): number | undefined {
  return fault?.startsWith(`${kind}:`) === true ? Number(fault.slice(kind.length + 1)) : undefined;
}
