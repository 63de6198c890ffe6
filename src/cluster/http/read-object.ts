import { RequestError } from '../../lib/base/errors.js';
import { type JsonObject, objectOf, parseJson } from '../../lib/json/json.js';
import type { ApiRequest, ApiTransport } from './api-client.js';
import { readAtMost } from './response-body.js';

const maxBodyBytes = 16 * 2 ** 20;

/** Returns an object of the API server, or a short list; one without any field for another body. Throws RequestError. */
export async function readObject(api: ApiTransport, request: ApiRequest, signal: AbortSignal): Promise<JsonObject> {
  const what = `GET ${request.path}`;
  const { bytes, isComplete } = await readAtMost(await api.open(request, signal), maxBodyBytes);
  if (!isComplete) throw new RequestError('too_large', `${what}: more than ${maxBodyBytes} bytes`);
  return objectOf(parseJson(bytes.toString(), () => new RequestError('decode', `${what}: not JSON`)));
}
