import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly elapsedMs: number;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer;
  /** Linux has all of 127.0.0.0/8. Proxies connect to the limiter from 127.0.0.1. */
  readonly localAddress?: string;
}

/** A client that is no proxy. */
export const CLIENT = "127.0.0.2";

/** One request over a connection of its own. The target is sent as it stands. */
export async function call(url: string, target: string, options: CallOptions = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, localAddress = CLIENT } = options;
  const { hostname, port } = new URL(url);
  const startMs = performance.now();
  const sent = request({ hostname, port, path: target, method, headers, localAddress, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const received = await text(answer);
  const elapsedMs = performance.now() - startMs;
  return { status: answer.statusCode, headers: answer.headers, body: received, elapsedMs };
}

/** The status of a request that is sent as it stands, HTTP or not. It asks for the end of its connection. */
export async function callRaw(url: string, head: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: CLIENT });
  socket.setEncoding("latin1");
  socket.write(`${head}\r\nConnection: close\r\n\r\n`, "latin1");
  const received = await text(socket);
  return Number(/^HTTP\/1\.\d (\d+)/.exec(received)?.[1] ?? Number.NaN);
}
