import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from "@grpc/grpc-js";

/** What calls may make a server keep, on all connections. */
export interface CallBounds {
  /**
   * From the head of a call to the end of its message, and from its answer until the client has read that. Envoy waits
   * 20 ms for an answer unless it is told otherwise.
   */
  readonly partMs: number;
  /** How many messages may be under way. */
  readonly messages: number;
  /** How many answers may wait for their clients to read them. Each takes some 14 kB. */
  readonly answers: number;
  readonly metadataBytes: number;
}

export const CALL_BOUNDS: CallBounds = { partMs: 5_000, messages: 500, answers: 10_000, metadataBytes: 8 * 1024 };

/** How often late calls are looked for while some are under way, as a part of the time that they have. */
const CHECKS = 4;

/**
 * Closes connections whose messages come too late, or which do not read their answers. If too many are under way, it
 * closes the connection of the oldest. grpc-js has neither bound, and keeps what it has of a message although its call
 * has ended. Its option for the size of metadata has no effect in a server, so long metadata is refused here.
 *
 * @param close closes the connection of a peer, as `getPeer` of a call names it.
 */
export function boundCalls(
  { partMs, messages, answers, metadataBytes }: CallBounds,
  close: (peer: string) => void,
): ServerInterceptor {
  const arriving = new CallsUnderWay(messages, partMs, close);
  const answered = new CallsUnderWay(answers, partMs, close);
  return (_method, call) => {
    let isLong = false;
    const answer = <Part>(part: Part, next: (part: Part) => void): void => {
      answered.begin(call, call.getPeer());
      next(part);
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, receive) => {
            isLong = bytesOf(metadata) > metadataBytes;
            arriving.begin(call, call.getPeer());
            receive(metadata);
          },
          onReceiveHalfClose: (receive) => {
            arriving.end(call);
            if (!isLong) return receive();
            const details = `expected at most ${metadataBytes} bytes of metadata`;
            return call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
          },
          // Also when the last byte of the answer is on its way, or the stream has closed.
          onCancel: () => {
            arriving.end(call);
            answered.end(call);
          },
        }),
      sendMessage: answer,
      sendStatus: answer,
    });
  };
}

interface UnderWay {
  readonly peer: string;
  readonly endsMs: number;
}

/** Calls in one part of their way. */
class CallsUnderWay {
  readonly #most: number;
  readonly #ms: number;
  readonly #close: (peer: string) => void;
  /** In the order in which their times end. */
  readonly #calls = new Map<object, UnderWay>();
  #isChecking = false;

  constructor(most: number, ms: number, close: (peer: string) => void) {
    this.#most = most;
    this.#ms = ms;
    this.#close = close;
  }

  /** Anew, if it has begun before. */
  begin(call: object, peer: string): void {
    this.#calls.delete(call);
    this.#calls.set(call, { peer, endsMs: performance.now() + this.#ms });
    if (!this.#isChecking) this.#check();
    // Many calls may come at once, whole, and be over in the same turn.
    if (this.#calls.size === this.#most + 1) setImmediate(this.#bound);
  }

  end(call: object): void {
    this.#calls.delete(call);
  }

  readonly #bound = (): void => {
    for (const [, { peer }] of this.#calls) {
      if (this.#calls.size <= this.#most) return;
      this.#end(peer);
    }
  };

  readonly #check = (): void => {
    const nowMs = performance.now();
    for (const [, { peer, endsMs }] of this.#calls) {
      if (endsMs > nowMs) break;
      this.#end(peer);
    }
    this.#isChecking = this.#calls.size > 0;
    if (this.#isChecking) setTimeout(this.#check, this.#ms / CHECKS).unref();
  };

  /** Closes a connection, whose calls are over then. */
  #end(peer: string): void {
    for (const [call, underWay] of this.#calls) if (underWay.peer === peer) this.#calls.delete(call);
    this.#close(peer);
  }
}

function bytesOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toJSON()))
    for (const value of values) bytes += name.length + value.length;
  return bytes;
}
