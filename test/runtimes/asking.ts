import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { send } from "../../packages/tollgate/test/adapters/suite/client.ts";

interface Told {
  readonly used: number;
  readonly outcomes: readonly { readonly status: number; readonly bytes: number; readonly completed: boolean }[];
  readonly reported: readonly string[];
}

/** The outcomes of the requests of an instance so far. */
export async function told(url: string): Promise<Told> {
  return JSON.parse((await send(`${url}/told`)).body) as Told;
}

const PATIENCE_MS = 8_000;

/** Waits until an instance has reported `count` outcomes and, if given, has `used` units in use. */
export async function settled(url: string, count: number, used?: number): Promise<Told["outcomes"]> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const now = await told(url);
    if (now.outcomes.length >= count && (used === undefined || now.used === used)) return now.outcomes;
    if (performance.now() > deadlineMs) throw new Error(`expected ${count} outcomes, got: ${JSON.stringify(now)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Requests a web socket and returns the status of the response. */
export function upgrade(url: string): Promise<number | undefined> {
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { headers });
    sent.on("error", reject);
    sent.on("response", (response) => resolve(response.resume().statusCode));
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    sent.end();
  });
}

/** Runs a server whose responses the handler returns unchanged. */
export async function withUpstream(run: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const status = Number(request.url?.slice(1));
    response.writeHead(status, { "X-Upstream": "yes" }).end(status === 200 ? "from upstream" : undefined);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
