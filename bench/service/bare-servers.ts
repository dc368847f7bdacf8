import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** Headers of an answer of the service, which never change here. */
const LIMITS = {
  "RateLimit-Policy": '"9000000-per-1s";q=9000000;w=1',
  RateLimit: '"9000000-per-1s";r=8999999;t=1',
};

/** Serves what a check answers, without a decision. */
export function serveBareChecks(): void {
  const headers = { "Content-Length": "0", "Cache-Control": "no-store", ...LIMITS };
  serve((_request, response) => void response.writeHead(200, headers).end());
}

/** What the service answers to a call that is admitted. */
const DECISION = {
  allowed: true,
  limiter: "api/client",
  limit: "client.rate",
  remaining: 8_999_999,
  retryAfterMs: 0,
  resetMs: 0.001,
};

/** Parses each call, and answers what a decision looks like, without deciding. */
export function serveBareDecisions(): void {
  serve((request, response) => void answer(request, response));
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { requests } = JSON.parse(await text(request)) as { requests?: readonly unknown[] };
  const body = JSON.stringify(requests === undefined ? DECISION : { results: requests.map(() => DECISION) });
  const length = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  response.writeHead(200, { ...length, ...LIMITS }).end(body);
}

/** Prints its URL. */
function serve(listener: RequestListener): void {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    console.log(`http://127.0.0.1:${port}`);
  });
}
