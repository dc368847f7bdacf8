import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { PASSING, type ProxyBehaviour } from "./proxy-behaviour.ts";
import { ProxyConnection } from "./proxy-connection.ts";
import { type ProxyCounters, zeroCounters } from "./proxy-counters.ts";
import { type ReservedPort, reservePort } from "./reserved-port.ts";

/** Stands between clients and a server; what it does can be changed at any time, for open connections too. */
export class TcpProxy {
  readonly host = "127.0.0.1";
  readonly port: number;
  readonly #counters = zeroCounters();
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
    return { ...this.#counters, openConnections: this.#connections.size };
  }

  /**
   * From now on passes everything, and accepts connections again. What was kept is passed as well, or dropped; the connections
   * that lose bytes by that are reset.
   */
  async pass(kept: "release" | "drop" = "release"): Promise<void> {
    if (kept === "drop") for (const connection of this.#connections) connection.dropKept();
    this.#behave(PASSING);
    await this.listen();
  }

  /** Each direction takes that long. What is on its way when that changes keeps the delay that it had. */
  delay(requestDelayMs: number, replyDelayMs: number = requestDelayMs): void {
    this.#behave({ ...PASSING, requestDelayMs, replyDelayMs });
  }

  /** Resets all connections and refuses new ones. What was kept is lost. */
  cut(): void {
    this.#server.close();
    this.resetAll();
    this.#behave(PASSING);
  }

  /** Resets all connections; new ones are accepted. */
  resetAll(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /**
   * Lets the server have the next request, then resets the connection in place of the reply, as many times, and passes
   * everything after that. `containing` is what makes a request one of these, such as `"EVALSHA"`.
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

  /** The server gets requests; replies are kept. */
  halfOpen(): void {
    this.#behave({ ...PASSING, replies: "kept" });
  }

  /** Accepts connections and everything that comes, from both sides, and passes nothing. */
  blackHole(): void {
    this.#behave({ ...PASSING, requests: "kept", replies: "kept" });
  }

  /** Keeps requests; replies are passed. */
  hold(): void {
    this.#behave({ ...PASSING, requests: "kept" });
  }

  /** Passes what was kept, and everything after it. */
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
    this.#counters.connections += 1;
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

/** A proxy before the server, which need not be there yet. It passes everything until it is told otherwise. */
export async function startProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const proxy = new TcpProxy(await reservePort(), target.port);
  await proxy.listen();
  return proxy;
}
