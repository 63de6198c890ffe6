import { UserError } from '../src/base/errors.js';

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
 * What goes wrong with one simulated kubelet:
 * `slow:MS` answers after so many milliseconds; `hang` never answers; `status:CODE` answers with that status; `truncated`
 * ends the connection in the middle of the body; `wrong-body` answers JSON that is no summary; `html` answers a web page;
 * `expired-certificate` serves one that ran out; `reset` resets the connection; `empty` knows no pods; `restarted` has to
 * measure the volumes anew; `redirect` sends the client to another host; `down` refuses connections.
 */
export type Fault = (typeof plainFaults)[number] | `slow:${number}` | `status:${number}`;

/** What goes wrong with the simulated API server. */
export type ApiFault = 'down' | `status:${number}`;

export function parseFault(text: string): Fault {
  const plain = plainFaults.find((fault) => fault === text);
  if (plain !== undefined) return plain;
  const slow = /^slow:(\d+)$/.exec(text);
  if (slow !== null) return `slow:${Number(slow[1])}`;
  const status = statusFault(text);
  if (status !== undefined) return status;
  throw new UserError(`no such fault: "${text}"; one of slow:MS, status:CODE, ${plainFaults.join(', ')}`);
}

export function parseApiFault(text: string): ApiFault {
  const fault = text === 'down' ? text : statusFault(text);
  if (fault !== undefined) return fault;
  throw new UserError(`no such fault of the API server: "${text}"; one of status:CODE, down`);
}

function statusFault(text: string): `status:${number}` | undefined {
  const status = /^status:([45]\d\d)$/.exec(text);
  return status === null ? undefined : `status:${Number(status[1])}`;
}

/** The number after `slow:` or `status:`; undefined for other faults. */
export function faultNumber(fault: Fault | undefined, kind: 'slow' | 'status'): number | undefined {
  return fault?.startsWith(`${kind}:`) === true ? Number(fault.slice(kind.length + 1)) : undefined;
}
