import type { IncomingHttpHeaders } from 'node:http';

import type { FailureReason } from '../base/errors.js';

/** A response with a status other than 200. */
export interface ErrorResponse {
  /** Names the request; begins the error message. */
  readonly what: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the body, at most 64 KiB, without the credentials that the server may repeat in it. */
  readonly text: string;
}

export function reasonForStatus(status: number): FailureReason {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    default:
      return 'http_status';
  }
}

/** `WHAT: the kubelet answered 403: QUOTE`. */
export function statusMessage(
  { what, status }: Pick<ErrorResponse, 'what' | 'status'>,
  server: string,
  quote: string,
): string {
  return `${what}: ${server} answered ${status}${quote === '' ? '' : `: ${quote}`}`;
}

export interface RbacRule {
  readonly apiGroup: string;
  readonly resource: string;
  readonly verb: string;
}

/** `role` names where the rule belongs, such as `its ClusterRole`. */
export function rbacHint({ apiGroup, resource, verb }: RbacRule, role: string): string {
  return `grant it with the RBAC rule {apiGroups: ["${apiGroup}"], resources: ["${resource}"], verbs: ["${verb}"]} in ${role}`;
}
