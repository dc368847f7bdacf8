import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { runNode } from "../support/run.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const DIST: string = join(REPOSITORY, "site/dist");

/** Builds the site from the built library. */
export async function buildSite(): Promise<void> {
  const { status, stdout, stderr } = await runNode(REPOSITORY, ["--import", "tsx", "site/build.ts"]);
  if (status !== 0) throw new Error(`${stdout}\n${stderr}`);
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** The built site on a port of its own, and how many gzipped bytes each path has been asked for. */
export interface ServedSite extends AsyncDisposable {
  readonly origin: string;
  readonly sent: Map<string, number>;
}

export async function serveSite(): Promise<ServedSite> {
  const sent = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
    const file = extname(path) === "" ? `${path}.html` : path;
    try {
      const body = gzipSync(readFileSync(join(DIST, decodeURIComponent(file))));
      sent.set(file, body.length);
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
