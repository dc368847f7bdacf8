import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { RequestError } from "./request-error.ts";

const UTF_8 = /^charset="?utf-?8"?$/;

/** The type of the body. @throws RequestError 415 unless it is one of these, in UTF-8. */
export function typeOf(request: IncomingMessage, accepted: readonly string[]): string {
  const [type = "", ...parameters] = (request.headers["content-type"] ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  if (accepted.includes(type) && (charset === undefined || UTF_8.test(charset))) return type;
  throw new RequestError(415, `content-type: expected ${accepted.join(" or ")} in UTF-8`);
}

/**
 * The body as text, as it was sent.
 *
 * @throws RequestError 415 for a body in another coding, 413 for one that is too long, 400 for one that is no UTF-8.
 */
export async function readText(request: IncomingMessage, mostBytes: number): Promise<string> {
  const coding = request.headers["content-encoding"] ?? "identity";
  if (coding.toLowerCase() !== "identity") throw new RequestError(415, "content-encoding: expected none");
  const tooLong = new RequestError(413, `expected at most ${mostBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > mostBytes) throw tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    // The rest is not read.
    if (length > mostBytes) throw tooLong;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new RequestError(400, "body: expected UTF-8");
  return bytes.toString("utf8");
}
