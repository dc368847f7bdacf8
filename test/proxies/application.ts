import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request that has reached the application. */
export interface Reached {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The application behind the proxies. `/status/N` answers with that status, `/break` breaks off. */
export class Application {
  readonly port: number;
  reached: Reached[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(): Promise<Application> {
    // Proxies accept longer heads, and other characters, than Node does by default.
    const server = createServer({ maxHeaderSize: 64 * 1024, insecureHTTPParser: true });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const application = new Application(server);
    server.on("request", (request, response) => void application.#answer(request, response));
    return application;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "", headers } = request;
    this.reached.push({ method, url, headers, body: await buffer(request) });
    if (url.startsWith("/break")) request.socket.destroy();
    else response.writeHead(Number(/^\/status\/(\d+)/.exec(url)?.[1] ?? 200)).end(`application ${method} ${url}`);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
