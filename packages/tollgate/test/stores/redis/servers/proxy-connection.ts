import { connect, type Socket } from "node:net";
import type { ProxyBehaviour } from "./proxy-behaviour.ts";
import { ProxyFlow, type Sent } from "./proxy-flow.ts";

/** The traffic of a proxy since it started. */
export interface ProxyCounters {
  /** Connections that the proxy reset towards the client. */
  resets: number;
  /** Bytes from clients. */
  requestBytes: number;
}

/** The events of a connection for its proxy. */
interface ProxyListener {
  onCutAfterRequest(): void;
  onClosed(connection: ProxyConnection): void;
}

/** A client's connection, and its connection to the server. */
export class ProxyConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #requests: ProxyFlow;
  readonly #replies: ProxyFlow;
  readonly #counters: ProxyCounters;
  readonly #listener: ProxyListener;
  #behaviour: ProxyBehaviour;
  /** Whether the next reply is the one to cut. */
  #isCutNext = false;

  constructor(
    client: Socket,
    targetPort: number,
    behaviour: ProxyBehaviour,
    counters: ProxyCounters,
    listener: ProxyListener,
  ) {
    this.#client = client.setNoDelay();
    this.#server = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    this.#counters = counters;
    this.#listener = listener;
    this.#requests = new ProxyFlow(this.#server);
    this.#replies = new ProxyFlow(client);
    this.#behaviour = behaviour;
    this.behave(behaviour);

    client.on("data", (bytes) => this.#onRequest(bytes));
    this.#server.on("data", (bytes) => this.#onReply(bytes));
    // Bytes that a client sent before it reset the connection still reach the server.
    client.on("end", () => this.#push("end"));
    client.on("error", () => this.#push("end"));
    this.#server.on("end", () => this.#pushReply("end"));
    this.#server.on("error", () => this.#pushReply("reset"));
    for (const socket of [client, this.#server]) socket.on("close", () => this.#onClose());
  }

  behave(behaviour: ProxyBehaviour): void {
    this.#behaviour = behaviour;
    this.#isCutNext = false;
    this.#requests.keep(behaviour.requests === "kept");
    this.#replies.keep(behaviour.replies === "kept");
  }

  /** Drops the held bytes. The connection is reset, because TCP delivers nothing after a gap. */
  dropKept(): void {
    if (this.#requests.isHolding || this.#replies.isHolding) this.reset();
  }

  reset(): void {
    this.#requests.drop();
    this.#replies.drop();
    if (!this.#client.destroyed) {
      this.#counters.resets += 1;
      this.#client.resetAndDestroy();
    }
    this.#server.destroy();
  }

  #onRequest(bytes: Buffer): void {
    this.#counters.requestBytes += bytes.length;
    const { replies, containing } = this.#behaviour;
    if (replies === "cut" && bytes.includes(containing)) this.#isCutNext = true;
    this.#push(bytes);
  }

  #onReply(bytes: Buffer): void {
    if (this.#isCutNext) {
      this.reset();
      this.#listener.onCutAfterRequest();
      return;
    }
    this.#pushReply(bytes);
  }

  #push(sent: Sent): void {
    this.#requests.push(sent, this.#behaviour.requestDelayMs);
  }

  #pushReply(sent: Sent): void {
    this.#replies.push(sent, this.#behaviour.replyDelayMs);
  }

  #onClose(): void {
    if (this.#client.destroyed && this.#server.destroyed) this.#listener.onClosed(this);
  }
}
