import type { ServerResponse } from "node:http";

type Headers = Readonly<Record<string, string>>;

export function sendText(response: ServerResponse, text: string): void {
  send(response, 200, "text/plain; charset=utf-8", text);
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(body), headers);
}

/** For HEAD, `node:http` omits the body and keeps the length. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: Headers = {},
): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": Buffer.byteLength(body),
    // A response from a cache would not be counted.
    "cache-control": "no-store",
    ...headers,
  });
  response.end(body);
}
