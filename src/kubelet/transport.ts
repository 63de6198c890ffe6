import type { Node } from '../kube/objects.js';

/** The way to one node's summary, found but not used yet. */
export interface SummaryEndpoint {
  /** Begins messages: `summary of node n1 from https://…`. */
  readonly what: string;
  /**
   * One request. Resolves when the headers of a JSON answer with status 200 are there; throws otherwise. The body, not
   * compressed any more, throws when the connection breaks; leaving its loop early closes the connection. The signal
   * ends all of it.
   */
  open(signal: AbortSignal): Promise<AsyncIterable<Buffer>>;
}

export interface SummaryTransport {
  /** @throws RequestError `not_ready` when there is nothing to ask */
  locate(node: Node): SummaryEndpoint;
}
