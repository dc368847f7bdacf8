import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { unzipSync } from "node:zlib";
import type { CallsUnderWay } from "./calls-under-way.ts";

/** Statuses of gRPC. */
export const STATUS = {
  ok: 0,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** The answer to a call is a status. Its text goes to the client. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: number;

  constructor(message: string, options: ErrorOptions & { readonly status: number }) {
    super(message, options);
    this.status = options.status;
  }
}

/** Answers a message by another, or fails with a StatusError. */
export type Method = (message: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** What the calls of a server have in common. */
export interface CallContext {
  readonly methods: ReadonlyMap<string, Method>;
  /** Calls whose message is on its way. */
  readonly arriving: CallsUnderWay;
  /** Calls whose answer the client has not read. */
  readonly answered: CallsUnderWay;
  /** Logs an error that is a fault of this service. */
  readonly logError: (error: unknown) => void;
}

/** Envoy accepts heads of 60 KiB: four descriptors with all of one fit. */
const MOST_BYTES = 256 * 1024;
const MOST_METADATA_BYTES = 8 * 1024;
/** Whether the message is compressed, and its length in four bytes. */
const PREFIX_BYTES = 5;
const MOST_WITH_PREFIX = PREFIX_BYTES + MOST_BYTES;

const HEAD = { ":status": 200, "content-type": "application/grpc+proto" } as const;
const WITH_TRAILERS = { waitForTrailers: true, sendDate: false } as const;
const ALONE = { endStream: true, sendDate: false } as const;
const EMPTY = Buffer.alloc(0);

/** A call with one message and one answer, on a stream of HTTP/2. */
export class UnaryCall {
  readonly #stream: ServerHttp2Stream;
  readonly #context: CallContext;
  /** What has come of the message, with its prefix. */
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(stream: ServerHttp2Stream, context: CallContext) {
    this.#stream = stream;
    this.#context = context;
  }

  /** Answers the call when its message has come. `lines` has the names and values of its headers. */
  begin(headers: IncomingHttpHeaders, lines: readonly string[]): void {
    const stream = this.#stream;
    const { arriving, answered, methods } = this.#context;
    arriving.begin(stream);
    // Also when the last byte of the answer is on its way.
    stream.on("close", () => {
      arriving.end(stream);
      answered.end(stream);
    });
    stream.on("error", ignore);
    const method = methods.get(headers[":path"] ?? "");
    if (!isGrpc(headers)) this.#answerHead({ ":status": constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE });
    else if (bytesOf(lines) > MOST_METADATA_BYTES) {
      this.#refuse(STATUS.resourceExhausted, `expected at most ${MOST_METADATA_BYTES} bytes of metadata`);
    } else if (method === undefined) this.#refuse(STATUS.unimplemented, "unknown method");
    else {
      stream.on("data", (chunk: Buffer) => this.#take(chunk));
      stream.on("end", () => void this.#decide(method));
    }
  }

  /** The client has given up the call, or has its answer. What is answered then is dropped. */
  get #isOver(): boolean {
    return this.#stream.closed || this.#stream.destroyed || this.#stream.headersSent;
  }

  /** Usually all comes at once, and is not copied. */
  #take(chunk: Buffer): void {
    const before = this.#length;
    this.#length += chunk.length;
    if (this.#length > MOST_WITH_PREFIX) {
      this.#refuse(STATUS.resourceExhausted, `expected at most ${MOST_BYTES} bytes`);
    } else if (before === 0) this.#bytes = chunk;
    else {
      const roomier = Math.min(2 * this.#length, MOST_WITH_PREFIX);
      if (this.#length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], roomier);
      this.#bytes.set(chunk, before);
    }
  }

  async #decide(method: Method): Promise<void> {
    this.#context.arriving.end(this.#stream);
    if (this.#isOver) return;
    try {
      this.#answer(await method(messageOf(this.#bytes.subarray(0, this.#length))));
    } catch (error) {
      this.#fail(error);
    }
  }

  #answer(message: Uint8Array): void {
    if (this.#isOver) return;
    this.#context.answered.begin(this.#stream);
    this.#stream.respond(HEAD, WITH_TRAILERS);
    this.#stream.on("wantTrailers", sendOk);
    const framed = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
    framed[0] = 0;
    framed.writeUInt32BE(message.length, 1);
    framed.set(message, PREFIX_BYTES);
    this.#stream.end(framed);
  }

  #fail(error: unknown): void {
    if (error instanceof StatusError) this.#refuse(error.status, error.message);
    else {
      this.#context.logError(error);
      this.#refuse(STATUS.internal, "internal error");
    }
  }

  #refuse(status: number, details: string): void {
    // Half a pair of surrogates cannot be encoded.
    const message = encodeURI(Buffer.from(details).toString());
    this.#answerHead({ ...HEAD, "grpc-status": status, "grpc-message": message });
  }

  /** The client need not send what is left of its message. */
  #answerHead(head: Readonly<Record<string, string | number>>): void {
    if (this.#isOver) return;
    this.#context.answered.begin(this.#stream);
    this.#stream.respond(head, ALONE);
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }
}

function isGrpc({ "content-type": type }: IncomingHttpHeaders): boolean {
  return type?.startsWith("application/grpc") === true;
}

function bytesOf(lines: readonly string[]): number {
  let bytes = 0;
  for (const line of lines) bytes += line.length;
  return bytes;
}

/** Without the prefix. */
function messageOf(bytes: Buffer): Uint8Array {
  if (bytes.length < PREFIX_BYTES || bytes.length !== PREFIX_BYTES + bytes.readUInt32BE(1)) {
    throw new StatusError("expected one message", { status: STATUS.unimplemented });
  }
  const message = bytes.subarray(PREFIX_BYTES);
  if (bytes[0] === 0) return message;
  try {
    return unzipSync(message, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    const status = STATUS.internal;
    throw new StatusError(`expected at most ${MOST_BYTES} bytes, packed by gzip or deflate`, { status, cause });
  }
}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers({ "grpc-status": STATUS.ok });
}

function ignore(): void {}
