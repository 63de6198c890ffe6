import type { IncomingHttpHeaders } from 'node:http';

export interface ApiRequest {
  /** Below the server's URL, such as `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** `application/json` without it. */
  readonly accept?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed. Ends with a RequestError when the connection breaks; leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Buffer>;
}

export interface ApiTransport {
  /**
   * GET. Resolves when the headers of a JSON answer with status 200 are there; throws RequestError otherwise (ApiError
   * when the server answered), and the signal's reason when it aborts. The signal ends the body too.
   */
  open(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>;
}
