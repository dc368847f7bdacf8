/** An error reply, such as `MOVED 1 127.0.0.1:7000`. */
export class RespError extends Error {
  override readonly name = "RespError";
}

/** A raw reply: bulk strings are bytes. */
export type RawReply = Buffer | RespError | string | number | null | readonly RawReply[];

/** A reply with bytes decoded as UTF-8. */
export type Reply = string | number | null | readonly Reply[];

/** The parts of a command: texts are sent as UTF-8, numbers as decimals. */
export type Argument = string | number | Buffer;

/** A command in RESP 2. */
export function encodeCommand(command: readonly Argument[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${command.length}\r\n`)];
  for (const argument of command) {
    const bytes = Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n"));
  }
  return Buffer.concat(parts);
}

/** Decodes a reply to text. Throws the error that it is or contains. */
export function textOf(reply: RawReply): Reply {
  if (reply instanceof RespError) throw reply;
  if (Buffer.isBuffer(reply)) return reply.toString();
  if (typeof reply === "object" && reply !== null) return reply.map(textOf);
  return reply;
}

/** Parses bytes as they arrive, and returns the complete replies. */
export class ReplyReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  read(bytes: Buffer): readonly RawReply[] {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    const replies: RawReply[] = [];
    let completeUpTo = 0;
    for (;;) {
      const reply = this.#reply();
      if (reply === undefined) break;
      replies.push(reply);
      completeUpTo = this.#at;
    }
    this.#bytes = this.#bytes.subarray(completeUpTo);
    this.#at = 0;
    return replies;
  }

  /** The reply that starts here; `undefined` if it is incomplete. */
  #reply(): RawReply | undefined {
    const lineEnd = this.#bytes.indexOf("\r\n", this.#at);
    if (lineEnd === -1) return undefined;
    const line = this.#bytes.toString("utf8", this.#at, lineEnd);
    this.#at = lineEnd + 2;
    const rest = line.slice(1);
    switch (line[0]) {
      case "+":
        return rest;
      case "-":
        return new RespError(rest);
      case ":":
        return Number(rest);
      case "$":
        return this.#bulk(Number(rest));
      case "*":
        return this.#array(Number(rest));
      default:
        throw new Error(`expected an answer in RESP 2, got ${JSON.stringify(line)}`);
    }
  }

  #bulk(length: number): Buffer | null | undefined {
    if (length === -1) return null;
    const end = this.#at + length;
    if (this.#bytes.length < end + 2) return undefined;
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end + 2;
    return bytes;
  }

  #array(length: number): readonly RawReply[] | null | undefined {
    if (length === -1) return null;
    const replies: RawReply[] = [];
    while (replies.length < length) {
      const reply = this.#reply();
      if (reply === undefined) return undefined;
      replies.push(reply);
    }
    return replies;
  }
}
