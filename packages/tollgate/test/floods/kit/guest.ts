import { connect } from "node:net";
import { AnswerReader } from "./answer-reader.ts";
import { ordersOfChild, sendToParent } from "./child.ts";

/**
 * The orders of the process of a second client. It sends a request every few milliseconds, on a connection of its own
 * and with a header of its own.
 */
export interface GuestOrders {
  readonly port: number;
  readonly path: string;
  /** A header such as `X-API-Key: guest`, or an empty string. */
  readonly header: string;
}

/** The outcomes of its requests since the last message to it. */
export interface GuestFindings {
  readonly requests: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Answers other than 200. */
  readonly refused: number;
  readonly degraded: number;
}

const EVERY_MS = 5;
/** Servers stop reading from a client that has many requests under way. */
const MOST_WAITING = 8;

const { port, path, header } = ordersOfChild<GuestOrders>();
const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n${header === "" ? "" : `${header}\r\n`}\r\n`;
/** The times of the requests that are not answered yet. */
const waiting: number[] = [];
let latencies: number[] = [];
let refused = 0;
let degraded = 0;

const reader = new AnswerReader({
  onStatus: (status) => {
    latencies.push(performance.now() - waiting.shift()!);
    if (status !== 200) refused += 1;
  },
  onDegraded: () => {
    degraded += 1;
  },
});
const socket = connect(port, "127.0.0.1").setNoDelay();
socket.setEncoding("latin1").on("data", (text: string) => reader.read(text));
socket.on("connect", () => {
  // It sends the next request before the answer to the last one, so that every request during a flood shows the delay.
  setInterval(() => {
    if (waiting.length >= MOST_WAITING) return;
    waiting.push(performance.now());
    socket.write(request);
  }, EVERY_MS);
  sendToParent({ ready: true });
});

process.on("message", () => {
  const sorted = Float64Array.from(latencies).sort();
  const findings: GuestFindings = {
    requests: sorted.length,
    p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0,
    longestMs: sorted.at(-1) ?? 0,
    refused,
    degraded,
  };
  latencies = [];
  refused = 0;
  degraded = 0;
  sendToParent(findings);
});
