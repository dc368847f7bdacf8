import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A server that stands for what an example calls. */
export class Upstream {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  static async start(
    handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  ): Promise<Upstream> {
    const server = createServer((request, response) => void handle(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    return new Upstream(server);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A chat completion that sends some parts, waits for `finish`, and then reports 70 tokens in total. */
export class ChatModel {
  /** How many parts an answer has. */
  parts = 3;
  /** Requests whose client has gone before they were answered. */
  abandoned = 0;
  #finish = (): void => {};
  #finished = Promise.resolve();

  /** Answers wait from now on, until `finish`. */
  hold(): void {
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  finish(): void {
    this.#finish();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.once("close", () => {
      if (!response.writableFinished) this.abandoned += 1;
    });
    const { max_tokens: maxTokens } = (await json(request)) as { max_tokens: number };
    if (maxTokens === 13) {
      response.writeHead(500).end();
      return;
    }
    for (let i = 0; i < this.parts; i += 1) response.write(event({ choices: [{ delta: { content: "word " } }] }));
    await this.#finished;
    response.write(event({ choices: [], usage: { total_tokens: 70 } }));
    response.end("data: [DONE]\n\n");
  }
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
