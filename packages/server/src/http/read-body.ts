import type { IncomingMessage } from "node:http";

/** The body as UTF-8 text. `undefined` if it has more bytes than it may have: the rest is not read. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  return (await readBytes(request, mostBytes))?.toString("utf8");
}

/** The body. `undefined` if it has more bytes than it may have: the rest is not read. */
export async function readBytes(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
