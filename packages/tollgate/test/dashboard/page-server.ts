import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type KeyDetail, ROUTES, type Snapshot } from "tollgate/dashboard";
import { page } from "../../../../tools/build/page.ts";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:";
const DOCUMENT = `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Tollgate</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css"><script type="module" src="page.js"></script><body><div id="app"></div></body></html>`;

/** A server that says to the page what a test wants, for states that a real one is seldom in. */
export interface PageServer {
  readonly origin: string;
  snapshot: Snapshot;
  detail: KeyDetail;
  /** The status of answers to `snapshots`. */
  status: number;
  /** What the page posted: the route and the body. */
  readonly posted: (readonly [string, unknown])[];
  /** Tells all lookers the snapshot, as the real one does each second. */
  tell(): void;
  /** Ends all connections. */
  drop(): void;
  close(): Promise<void>;
}

export async function startPageServer(said: Pick<PageServer, "snapshot" | "detail">): Promise<PageServer> {
  const { script, style } = await page(fileURLToPath(new URL("../../src", import.meta.url)));
  const lookers = new Set<ServerResponse>();
  const posted: [string, unknown][] = [];
  const send = (response: ServerResponse, type: string, text: string): void => {
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(text);
  };
  const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
  const look = (response: ServerResponse): void => {
    if (state.status !== 200) {
      response.writeHead(state.status).end(JSON.stringify({ error: "too many lookers" }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(state.snapshot));
    lookers.add(response);
    response.on("close", () => lookers.delete(response));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "", "http://page").pathname.slice(1);
    if (request.method === "POST") posted.push([path, await json(request)]);
    if (path === "") send(response, "text/html", DOCUMENT);
    else if (path === ROUTES.script) send(response, "text/javascript", script);
    else if (path === ROUTES.style) send(response, "text/css", style);
    else if (path === ROUTES.snapshots) look(response);
    else if (path === ROUTES.key) send(response, "application/json", JSON.stringify(state.detail));
    else if (path === ROUTES.session) response.writeHead(204).end();
    else send(response, "application/json", JSON.stringify({ text: "It was done." }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const state: PageServer = {
    ...said,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    status: 200,
    posted,
    tell() {
      for (const looker of lookers) looker.write(event(state.snapshot));
    },
    drop() {
      for (const looker of lookers) looker.destroy();
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
  return state;
}
