import { connect } from "node:net";
import { AnswerReader } from "./answer-reader.ts";
import { ordersOfChild, tellParent } from "./in-child.ts";
import { percentile } from "./tally.ts";

/**
 * The process of a second client: a request every few milliseconds, on a connection of its own, with headers of its
 * own.
 */
export interface GuestOrders {
  readonly port: number;
  readonly path: string;
  /** Such as `X-API-Key: guest`; empty for none. */
  readonly header: string;
}

/** What became of its requests since it was asked last. */
export interface GuestFindings {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Answers other than 200. */
  readonly refused: number;
  readonly degraded: number;
}

const EVERY_MS = 5;

const { port, path, header } = ordersOfChild<GuestOrders>();
const request = `GET ${path} HTTP/1.1\r\nHost: a\r\n${header === "" ? "" : `${header}\r\n`}\r\n`;
/** When the requests were made that are not answered. */
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
  // What waits for an answer does not keep it from asking again: a flood that holds it up is seen by all that comes
  // meanwhile.
  setInterval(() => {
    waiting.push(performance.now());
    socket.write(request);
  }, EVERY_MS);
  tellParent({ ready: true });
});

process.on("message", () => {
  const sorted = Float64Array.from(latencies).sort();
  const findings: GuestFindings = {
    requests: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    longestMs: sorted.at(-1) ?? 0,
    refused,
    degraded,
  };
  latencies = [];
  refused = 0;
  degraded = 0;
  tellParent(findings);
});
