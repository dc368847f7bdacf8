import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ask } from "../servers/ask.ts";
import { type Reply, RespError } from "../servers/resp.ts";

const TOKEN = "secret";

/** The HTTP interface of Upstash in front of a local server. */
export class UpstashServer {
  readonly token = TOKEN;
  readonly #server: Server;
  readonly #redisPort: number;
  #dropsReplies = false;
  #hangs = false;
  /** The number of requests. */
  requests = 0;

  private constructor(redisPort: number) {
    this.#redisPort = redisPort;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(redis: { readonly port: number }): Promise<UpstashServer> {
    const server = new UpstashServer(redis.port);
    await once(server.#server.listen(0, "127.0.0.1"), "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Runs the next request, and closes the connection without a reply. */
  dropReplies(drops: boolean): void {
    this.#dropsReplies = drops;
  }

  /** Runs the next requests, and does not reply. */
  hang(hangs: boolean): void {
    this.#hangs = hangs;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const body = JSON.parse(await text(request)) as (string | number)[] | (string | number)[][];
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401).end(JSON.stringify({ error: "WRONGPASS invalid or missing auth token" }));
      return;
    }
    const isPipeline = request.url === "/pipeline";
    const commands = isPipeline ? (body as string[][]) : [body as string[]];
    const results: ({ result: unknown } | { error: string })[] = [];
    for (const command of commands) results.push(await this.#resultOf(command));
    if (this.#dropsReplies) {
      request.socket.destroy();
      return;
    }
    if (this.#hangs) return;
    const [first] = results;
    response.writeHead(!isPipeline && "error" in first! ? 400 : 200);
    response.end(JSON.stringify(isPipeline ? results : first));
  }

  async #resultOf(command: readonly (string | number)[]): Promise<{ result: unknown } | { error: string }> {
    try {
      return { result: encoded(await ask(this.#redisPort, ...command.map(String))) };
    } catch (error) {
      // Without Redis there is no reply: only replies of Redis are forwarded.
      if (!(error instanceof RespError)) throw error;
      return { error: error.message };
    }
  }
}

/** Encodes strings in base64, as the client requests. */
function encoded(reply: Reply): unknown {
  if (Array.isArray(reply)) return (reply as readonly Reply[]).map(encoded);
  if (typeof reply !== "string" || reply === "OK") return reply;
  return Buffer.from(reply).toString("base64");
}
