import { readCertificate, readCredentialFile } from '../../cluster/credentials/credential-files.js';
import { type Credentials, staticCredentials, type UserPassword } from '../../cluster/credentials/credentials.js';
import { ApiClient } from '../../cluster/http/api-client.js';
import { type ErrorResponse, reasonForStatus, statusMessage } from '../../cluster/http/api-error.js';
import type { Clock } from '../../lib/base/clock.js';
import { RequestError, UserError } from '../../lib/base/errors.js';
import { oneLine } from '../../lib/base/text.js';
import { clusterTlsHints } from './command-requests.js';
import type { ExporterAddress, ExporterFiles } from './exporter-address.js';
import { proxiedError } from './proxied-error.js';

const headersTimeoutMs = 10_000;

/** The caller disposes of it. Throws UserError for a file that cannot be used, RequestError without a cluster. */
export async function exporterClient(options: {
  readonly exporter: ExporterAddress;
  /** What its listener requires, of one with a URL. */
  readonly files: ExporterFiles;
  /** Of the cluster, for an exporter behind its API server. */
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly version: string;
}): Promise<ApiClient> {
  const { exporter, files, credentials, clock, version } = options;
  if ('url' in exporter) {
    return new ApiClient({
      credentials: await fileCredentials(exporter.url, files),
      clock,
      version,
      headersTimeoutMs,
      tlsHints: {
        authority: 'set --exporter-ca-file to the CA that signed the certificate',
        serverName: 'set --exporter to a name that the certificate carries',
      },
      errorFromResponse: exporterError,
    });
  }
  if (credentials === undefined) throw new RequestError('connection', 'no kubeconfig was found');
  const errorFromResponse = (response: ErrorResponse): RequestError => proxiedError(response, exporter, clock);
  return new ApiClient({ credentials, clock, version, headersTimeoutMs, tlsHints: clusterTlsHints, errorFromResponse });
}

async function fileCredentials(server: URL, { tokenFile, basicAuthFile, caFile }: ExporterFiles): Promise<Credentials> {
  const [token, password, ca] = await Promise.all([
    tokenFile === undefined ? undefined : readCredentialFile(tokenFile, '--exporter-token-file'),
    basicAuthFile === undefined ? undefined : readPassword(basicAuthFile),
    caFile === undefined ? undefined : readCertificate(caFile, '--exporter-ca-file'),
  ]);
  return staticCredentials({ server, token, password, ca });
}

async function readPassword(path: string): Promise<UserPassword> {
  const { user, password } =
    /^(?<user>[^:\r\n]+):(?<password>[^\r\n]+)$/.exec(await readCredentialFile(path, '--exporter-basic-auth-file'))
      ?.groups ?? {};
  if (user === undefined || password === undefined) {
    throw new UserError(`--exporter-basic-auth-file ${path}: allowed: one line, USER:PASSWORD`);
  }
  return { user, password };
}

/** The exporter names the rule that a user lacks; what to do about the other statuses is said here. */
function exporterError({ what, status, text }: ErrorResponse): RequestError {
  const hint = status === 401 ? '; set --exporter-token-file or --exporter-basic-auth-file to right credentials' : '';
  const quote = oneLine(text);
  const message = `${statusMessage({ what, status }, 'the exporter', quote)}${hint}`;
  return new RequestError(reasonForStatus(status), message, { status, cause: new Error(quote) });
}
