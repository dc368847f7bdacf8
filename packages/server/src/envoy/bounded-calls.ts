import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  status,
} from "@grpc/grpc-js";

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
 * @param close closes the connection of a peer, `ADDRESS:PORT`.
 */
export function boundCalls(
  { partMs, messages, answers, metadataBytes }: CallBounds,
  close: (peer: string) => void,
): ServerInterceptor {
  const arriving = new CallsUnderWay(messages, partMs, close);
  const answered = new CallsUnderWay(answers, partMs, close);
  return (_method, call) => new BoundedCall(call, arriving, answered, metadataBytes);
}

type Call = ServerInterceptingCallInterface;

/** A call that tells how far it is. Its base class would make a dozen objects for each, to wait for interceptors. */
class BoundedCall extends ServerInterceptingCall {
  readonly #call: Call;
  readonly #arriving: CallsUnderWay;
  readonly #answered: CallsUnderWay;
  readonly #metadataBytes: number;
  /** The client has given it up, or has its answer. What is answered then is dropped. */
  #isOver = false;

  constructor(call: Call, arriving: CallsUnderWay, answered: CallsUnderWay, metadataBytes: number) {
    super(call);
    this.#call = call;
    this.#arriving = arriving;
    this.#answered = answered;
    this.#metadataBytes = metadataBytes;
  }

  override start(listener: Parameters<Call["start"]>[0]): void {
    let isLong = false;
    this.#call.start({
      onReceiveMetadata: (metadata) => {
        isLong = bytesOf(metadata) > this.#metadataBytes;
        this.#arriving.begin(this.#call);
        listener.onReceiveMetadata(metadata);
      },
      onReceiveMessage: (message) => listener.onReceiveMessage(message),
      onReceiveHalfClose: () => {
        this.#arriving.end(this.#call);
        if (!isLong) return listener.onReceiveHalfClose();
        const details = `expected at most ${this.#metadataBytes} bytes of metadata`;
        return this.#call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
      },
      // Also when the last byte of the answer is on its way, or the stream has closed.
      onCancel: () => {
        this.#isOver = true;
        this.#arriving.end(this.#call);
        this.#answered.end(this.#call);
        listener.onCancel();
      },
    });
  }

  override sendMetadata(metadata: Metadata): void {
    this.#call.sendMetadata(metadata);
  }

  override sendMessage(message: unknown, sent: () => void): void {
    this.#beginAnswer();
    this.#call.sendMessage(message, sent);
  }

  override sendStatus(end: Parameters<Call["sendStatus"]>[0]): void {
    this.#beginAnswer();
    this.#call.sendStatus(end);
  }

  #beginAnswer(): void {
    if (!this.#isOver) this.#answered.begin(this.#call);
  }
}

/** Calls in one part of their way. */
class CallsUnderWay {
  readonly #most: number;
  readonly #ms: number;
  readonly #close: (peer: string) => void;
  /** When the time of each ends, in this order. */
  readonly #calls = new Map<Call, number>();
  #isChecking = false;

  constructor(most: number, ms: number, close: (peer: string) => void) {
    this.#most = most;
    this.#ms = ms;
    this.#close = close;
  }

  /** The status of an answer comes after its message. */
  begin(call: Call): void {
    if (this.#calls.has(call)) return;
    this.#calls.set(call, performance.now() + this.#ms);
    if (!this.#isChecking) this.#check();
    // Many calls may come at once, whole, and be over in the same turn.
    if (this.#calls.size === this.#most + 1) setImmediate(this.#bound);
  }

  end(call: Call): void {
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
  #closeOf(late: Call): void {
    const peer = peerOf(late);
    for (const call of this.#calls.keys()) if (peerOf(call) === peer) this.#calls.delete(call);
    this.#close(peer);
  }
}

/** `getPeer` would ask the session for its socket anew. */
function peerOf(call: Call): string {
  const { remoteAddress, remotePort } = call.getConnectionInfo();
  return `${remoteAddress}:${remotePort}`;
}

function bytesOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toJSON()))
    for (const value of values) bytes += name.length + value.length;
  return bytes;
}
