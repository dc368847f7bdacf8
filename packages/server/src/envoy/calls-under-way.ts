import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";

/** How often late calls are looked for while some are under way, as a part of the time that they have. */
const CHECKS = 4;

/**
 * Calls in one part of their way. Closes the connections of those that take too long, and of the oldest beyond a
 * number.
 */
export class CallsUnderWay {
  readonly #most: number;
  readonly #ms: number;
  readonly #close: (session: ServerHttp2Session) => void;
  /** When the time of each ends, in this order. */
  readonly #calls = new Map<ServerHttp2Stream, number>();
  #isChecking = false;

  constructor(most: number, ms: number, close: (session: ServerHttp2Session) => void) {
    this.#most = most;
    this.#ms = ms;
    this.#close = close;
  }

  begin(call: ServerHttp2Stream): void {
    this.#calls.set(call, performance.now() + this.#ms);
    if (!this.#isChecking) this.#check();
    // Many calls may come at once, whole, and be over in the same turn.
    if (this.#calls.size === this.#most + 1) setImmediate(this.#bound);
  }

  end(call: ServerHttp2Stream): void {
    this.#calls.delete(call);
  }

  readonly #bound = (): void => {
    for (const call of this.#calls.keys()) {
      if (this.#calls.size <= this.#most) return;
      this.#closeOf(call);
    }
  };

  readonly #check = (): void => {
    const nowMs = performance.now();
    for (const [call, endsMs] of this.#calls) {
      if (endsMs > nowMs) break;
      this.#closeOf(call);
    }
    this.#isChecking = this.#calls.size > 0;
    if (this.#isChecking) setTimeout(this.#check, this.#ms / CHECKS).unref();
  };

  /** Closes the connection of a call: all calls of it are over then. */
  #closeOf({ session }: ServerHttp2Stream): void {
    for (const call of this.#calls.keys()) if (call.session === session) this.#calls.delete(call);
    if (session !== undefined) this.#close(session as ServerHttp2Session);
  }
}
