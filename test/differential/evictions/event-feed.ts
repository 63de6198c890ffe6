/** The body of a watch whose events a test sends. */

interface SentEvent {
  readonly line: string;
  readonly onRead: () => void;
}

/** Sends what is added in one turn of the event loop as one chunk. Use it for one request. */
export class EventFeed {
  #events: SentEvent[] = [];
  /** Undefined while it is open; an error when it breaks. */
  #end: { readonly error: Error | undefined } | undefined;
  #wake: () => void = () => undefined;

  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** `onRead`: called when the client takes the line. */
  send(line: string, onRead: () => void = () => undefined): void {
    this.#events.push({ line, onRead });
    this.#wake();
  }

  /** What was sent before is still read. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *body(signal: AbortSignal): AsyncGenerator<Buffer> {
    const onAbort = (): void => {
      this.#events = [];
      this.end(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    for (;;) {
      while (this.#events.length === 0 && this.#end === undefined)
        await new Promise<void>((resolve) => (this.#wake = resolve));
      const events = this.#events.splice(0);
      for (const { onRead } of events) onRead();
      if (events.length > 0) yield Buffer.from(events.map(({ line }) => line).join(''));
      else if (this.#end !== undefined) break;
    }
    if (this.#end.error !== undefined) throw this.#end.error;
  }
}
