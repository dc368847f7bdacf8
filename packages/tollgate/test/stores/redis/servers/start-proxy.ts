import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { PASSING, type ProxyBehaviour } from "./proxy-behaviour.ts";
import { ProxyConnection, type ProxyCounters } from "./proxy-connection.ts";
import { type ReservedPort, reservePort } from "./reserved-port.ts";

/** A proxy between clients and a server. Its behaviour can change at any time, for open connections too. */
export class TcpProxy {
  readonly host = "127.0.0.1";
  readonly port: number;
  readonly #counters: ProxyCounters = { resets: 0, requestBytes: 0 };
  readonly #connections = new Set<ProxyConnection>();
  readonly #reserved: ReservedPort;
  readonly #targetPort: number;
  readonly #server: Server;
  #behaviour = PASSING;
  #cutsLeft = 0;

  constructor(reserved: ReservedPort, targetPort: number) {
    this.port = reserved.port;
    this.#reserved = reserved;
    this.#targetPort = targetPort;
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
  }

  get counters(): Readonly<ProxyCounters> {
    return this.#counters;
  }

  /**
   * Forwards everything, and accepts connections again. Held bytes are forwarded, or dropped with their connections.
   */
  async pass(kept: "release" | "drop" = "release"): Promise<void> {
    if (kept === "drop") for (const connection of this.#connections) connection.dropKept();
    this.#behave(PASSING);
    await this.listen();
  }

  /** Delays each direction. Bytes that are already delayed keep their delay. */
  delay(requestDelayMs: number, replyDelayMs: number = requestDelayMs): void {
    this.#behave({ ...PASSING, requestDelayMs, replyDelayMs });
  }

  /** Resets all connections and refuses new ones. Held bytes are lost. */
  cut(): void {
    this.#server.close();
    this.resetAll();
    this.#behave(PASSING);
  }

  /** Resets all connections, and accepts new ones. */
  resetAll(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /**
   * Forwards the next request, and resets the connection in place of the reply, so many times; then it forwards
   * everything. Only requests that contain `containing` count, such as `"EVALSHA"`.
   */
  cutAfterRequest({
    times = 1,
    containing = "",
  }: {
    readonly times?: number;
    readonly containing?: string;
  } = {}): void {
    this.#cutsLeft = times;
    this.#behave({ ...PASSING, replies: "cut", containing });
  }

  /** Forwards requests, and holds replies. */
  halfOpen(): void {
    this.#behave({ ...PASSING, replies: "kept" });
  }

  /** Accepts connections and bytes from both sides, and forwards nothing. */
  blackHole(): void {
    this.#behave({ ...PASSING, requests: "kept", replies: "kept" });
  }

  /** Holds requests, and forwards replies. */
  hold(): void {
    this.#behave({ ...PASSING, requests: "kept" });
  }

  /** Forwards the held bytes, and everything after them. */
  async release(): Promise<void> {
    await this.pass("release");
  }

  async stop(): Promise<void> {
    this.cut();
    this.#reserved.release();
  }

  async listen(): Promise<void> {
    if (!this.#server.listening) await once(this.#server.listen(this.port, this.host), "listening");
  }

  #behave(behaviour: ProxyBehaviour): void {
    this.#behaviour = behaviour;
    for (const connection of this.#connections) connection.behave(behaviour);
  }

  #accept(client: Socket): void {
    this.#connections.add(
      new ProxyConnection(client, this.#targetPort, this.#behaviour, this.#counters, {
        onClosed: (connection) => this.#connections.delete(connection),
        onCutAfterRequest: () => this.#onCutAfterRequest(),
      }),
    );
  }

  #onCutAfterRequest(): void {
    this.#cutsLeft -= 1;
    if (this.#cutsLeft === 0) this.#behave(PASSING);
  }
}

/** Starts a proxy in front of a server, which may start later. It forwards everything at first. */
export async function startProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const proxy = new TcpProxy(await reservePort(), target.port);
  await proxy.listen();
  return proxy;
}
