import type { Handler } from "./handler.ts";
import { DashboardError } from "./source.ts";

const MOST_BODY_BYTES = 16 * 1024;

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
  readonly destroyed: boolean;
}

export async function answerNode<Native extends NodeRequest>(
  handler: Handler<Native>,
  request: Native,
  response: NodeResponse,
): Promise<void> {
  const { method = "GET", originalUrl, url = "/", headers, body } = request;
  const call = {
    method,
    target: originalUrl ?? url,
    header: (name: string) => {
      const value = headers[name];
      return typeof value === "string" ? value : undefined;
    },
    text: async () => (isParsed(body) ? JSON.stringify(body) : textOf(request)),
  };
  const answer = await handler.answer(call, request);
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else await pump(answer.body.getReader(), response);
}

export function answerFetch(handler: Handler<Request>, request: Request): Promise<Response> {
  const { pathname, search, host } = new URL(request.url);
  const chunks = request.body as AsyncIterable<Uint8Array> | null;
  const call = {
    method: request.method,
    target: pathname + search,
    // A `Request` that a program makes has no `Host`.
    header: (name: string) => request.headers.get(name) ?? (name === "host" ? host : undefined),
    text: async () => (chunks === null ? "" : textOf(chunks)),
  };
  return handler.answer(call, request);
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

function isParsed(body: unknown): boolean {
  return typeof body === "object" && body !== null && Object.keys(body).length > 0;
}

/** @throws DashboardError 413 */
async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BODY_BYTES) throw new DashboardError(413, `expected at most ${MOST_BODY_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
