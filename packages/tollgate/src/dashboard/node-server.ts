import type { Handler } from "./handler.ts";

/** What is used of an `IncomingMessage` of Node, and of a request of express. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The target before express has taken the path of a mounted handler away. */
  readonly originalUrl?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What a body parser before has made of the body. */
  readonly body?: unknown;
}

/** What is used of a `ServerResponse` of Node. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(chunk: Uint8Array): boolean;
  end(): unknown;
  once(event: "drain" | "close", listener: () => void): unknown;
  destroy(): unknown;
}

export async function answerNode<Native extends NodeRequest>(
  handler: Handler<Native>,
  request: Native,
  response: NodeResponse,
): Promise<void> {
  const { method = "GET", originalUrl, url = "/", headers, body } = request;
  const isParsed = typeof body === "object" && body !== null && Object.keys(body).length > 0;
  const call = {
    method,
    // Not resolved against the host, because a target such as `//example.com/` would name another one.
    url: `http://${String(headers["host"] ?? "localhost")}${originalUrl ?? url}`,
    headers: { get: (name: string) => headers[name]?.toString() },
    body: isParsed ? [new TextEncoder().encode(JSON.stringify(body))] : request,
  };
  const answer = await handler.answer(call, request);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else await pump(answer.body.getReader(), response);
}

/** A chunk is read when the one before has been sent, so at most two wait for a slow client. */
async function pump(reader: ReadableStreamDefaultReader<Uint8Array>, response: NodeResponse): Promise<void> {
  response.once("close", () => void reader.cancel().catch(() => {}));
  // It was ended while a chunk waits.
  reader.closed.catch(() => response.destroy());
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!response.write(next.value)) await new Promise<void>((resolve) => void response.once("drain", resolve));
    }
    response.end();
  } catch {
    response.destroy();
  }
}
