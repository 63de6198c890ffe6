import type { IncomingMessage } from 'node:http';

import { RequestError } from '../base/errors.js';
import type { KubeletPath } from './transport.js';

/** How much of an error answer is read, and how much of it becomes part of our message. */
const maxBodyBytes = 4096;
const maxWordCount = 300;

export interface RefusalOptions {
  readonly response: IncomingMessage;
  /** What the kubelet was shown; its words may repeat it, ours do not. */
  readonly authorization: string | undefined;
  readonly path: KubeletPath;
  /** Begins the message. */
  readonly what: string;
}

/** What a kubelet's answer with another status than 200 means, in its own words too. Reads the body. */
export async function refusalOf({ response, authorization, path, what }: RefusalOptions): Promise<RequestError> {
  const status = response.statusCode ?? 0;
  const words = shortened(withoutToken(await lineOf(response), authorization));
  const message = `${what}: the kubelet answered ${status}${words === '' ? '' : `: ${words}`}`;
  switch (status) {
    case 401:
      return new RequestError('unauthorized', `${message}; ${unauthorizedMend}`, { status });
    case 403:
      return new RequestError('forbidden', `${message}; ${forbiddenMends[path]}`, { status });
    case 404:
      return new RequestError('not_found', message, { status });
    default:
      return new RequestError('http_status', isRedirect(status) ? `${message}; redirects are not followed` : message, {
        status,
      });
  }
}

const unauthorizedMend =
  'the token or client certificate is missing, wrong or expired, or the kubelet does not take service account tokens (authentication.webhook.enabled)';

/**
 * https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/#kubelet-authorization
 * `nodes/configz`: https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/2862-fine-grained-kubelet-authz
 */
const forbiddenMends: Readonly<Record<KubeletPath, string>> = {
  '/stats/summary':
    'grant it with the RBAC rule {apiGroups: [""], resources: ["nodes/stats"], verbs: ["get"]} in its ClusterRole',
  '/configz':
    'grant it with the RBAC rule {apiGroups: [""], resources: ["nodes/configz"], verbs: ["get"]} in its ClusterRole, which kubelets heed from Kubernetes 1.33 on, or set kubelet.readConfig to false',
};

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

async function lineOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= maxBodyBytes) break;
  }
  return Buffer.concat(chunks)
    .toString()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

function withoutToken(line: string, authorization: string | undefined): string {
  const token = authorization?.split(' ').at(-1) ?? '';
  return token === '' ? line : line.replaceAll(token, '…');
}

function shortened(line: string): string {
  return line.length <= maxWordCount ? line : `${line.slice(0, maxWordCount)}…`;
}
