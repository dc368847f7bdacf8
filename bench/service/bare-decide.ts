import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

/** What the service answers to a call that is admitted. */
const DECISION = {
  allowed: true,
  limiter: "api/client",
  limit: "client.rate",
  remaining: 8_999_999,
  retryAfterMs: 0,
  resetMs: 0.001,
};
const HEADERS = {
  "Content-Type": "application/json",
  "RateLimit-Policy": '"9000000-per-1s";q=9000000;w=1',
  RateLimit: '"9000000-per-1s";r=8999999;t=1',
};

/** Parses each call, and answers what a decision looks like, without deciding. Prints its URL. */
export function serveBareDecisions(): void {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    console.log(`http://127.0.0.1:${port}`);
  });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { requests } = JSON.parse(await text(request)) as { requests?: readonly unknown[] };
  const body = JSON.stringify(requests === undefined ? DECISION : { results: requests.map(() => DECISION) });
  response.writeHead(200, { ...HEADERS, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
}
