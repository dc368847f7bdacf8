import { connect } from "node:net";
import { AnswerReader } from "./answer-reader.ts";
import { ordersOfChild, sendToParent } from "./child.ts";
import { type Keys, keyOf, pathOf } from "./keys.ts";
import { emptyTally, type Findings, type KeyTally } from "./tally.ts";

/** The orders of the process that floods: requests over raw sockets, sent without waiting for answers. */
export interface FloodOrders {
  readonly port: number;
  readonly connections: number;
  /** The requests of each connection. */
  readonly requests: number;
  /** The requests that are written in one piece. The next piece follows after all of them are answered. */
  readonly burst: number;
  readonly keys: Keys;
  /** Sends `{ reached: true }` after each so many answers, except at the end. */
  readonly notifyEvery: number;
}

/** After this time without an answer, the findings cover the requests that were answered. */
const PATIENCE_MS = 120_000;

ordersOfChild();
process.on("message", (orders: FloodOrders) => {
  void new FloodRun(orders).done.then(sendToParent);
});

class FloodRun {
  readonly done: Promise<Findings>;
  readonly #orders: FloodOrders;
  #answered = 0;
  readonly #byKey: Record<number, KeyTally> = {};

  constructor(orders: FloodOrders) {
    this.#orders = orders;
    const connections = Array.from({ length: orders.connections }, () => this.#floodFromOne());
    this.done = Promise.all(connections).then(() => ({ byKey: this.#byKey }));
  }

  #floodFromOne(): Promise<void> {
    const { port, requests, burst, keys } = this.#orders;
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      let sent = 0;
      let answered = 0;
      const sendBurst = (): void => {
        const upTo = Math.min(sent + burst, requests);
        let text = "";
        for (; sent < upTo; sent += 1) {
          const end = sent === requests - 1 ? "Connection: close\r\n\r\n" : "\r\n";
          text += `GET ${pathOf(keyOf(keys, sent, requests))} HTTP/1.1\r\nHost: a\r\n${end}`;
        }
        socket.write(text);
      };
      const reader = new AnswerReader({
        onStatus: (status) => {
          this.#note(status, keyOf(keys, answered, requests));
          answered += 1;
          if (answered === sent && sent < requests) sendBurst();
        },
        onDegraded: () => {
          this.#tallyOf(keyOf(keys, answered - 1, requests)).degraded += 1;
        },
      });
      socket.setEncoding("latin1").on("data", (text: string) => reader.read(text));
      socket.on("error", () => {});
      socket.on("close", () => resolve());
      socket.setTimeout(PATIENCE_MS, () => socket.destroy());
      socket.on("connect", sendBurst);
    });
  }

  #note(status: number, key: number): void {
    const tally = this.#tallyOf(key);
    if (status === 200) tally.admitted += 1;
    if (status === 429) tally.denied += 1;
    if (status === 503) tally.unavailable += 1;
    this.#answered += 1;
    const { connections, requests, notifyEvery } = this.#orders;
    if (this.#answered % notifyEvery === 0 && this.#answered < connections * requests) sendToParent({ reached: true });
  }

  #tallyOf(key: number): KeyTally {
    this.#byKey[key] ??= emptyTally();
    return this.#byKey[key];
  }
}
