import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface CurlAnswer {
  /** 0 without an answer. */
  readonly status: number;
  readonly httpVersion: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  /** https://curl.se/docs/manpage.html#EXIT */
  readonly exitCode: number;
}

interface Written {
  readonly info: { readonly http_code: number; readonly http_version: string; readonly exitcode: number };
  readonly headers: CurlAnswer['headers'];
}

const report = '%{stderr}{"info":%{json},"headers":%{header_json}}';

/** One command of curl, without the files of its user. It ends with the signal. */
export async function curl(flags: readonly string[], signal?: AbortSignal): Promise<CurlAnswer> {
  const common = ['--disable', '--silent', '--noproxy', '*', '--max-time', '60', '--write-out', report];
  const child = spawn('curl', [...common, ...flags], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [body, written] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const { info, headers } = JSON.parse(written) as Written;
  return { status: info.http_code, httpVersion: info.http_version, headers, body, exitCode: info.exitcode };
}
