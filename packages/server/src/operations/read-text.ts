import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { bodyTypeOf } from "../http/body-type.ts";
import { readBytes } from "../http/read-body.ts";
import { RequestError } from "../http/request-error.ts";

/** The type of the body. @throws RequestError 415 unless it is one of these, in UTF-8. */
export function typeOf(request: IncomingMessage, accepted: readonly string[]): string {
  const type = bodyTypeOf(request);
  if (type !== undefined && accepted.includes(type)) return type;
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
  const bytes = await readBytes(request, mostBytes);
  if (bytes === undefined) throw tooLong;
  if (!isUtf8(bytes)) throw new RequestError(400, "body: expected UTF-8");
  return bytes.toString("utf8");
}
