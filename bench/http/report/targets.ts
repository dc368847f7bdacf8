import type { Spread } from "../../report/spread.ts";
import type { Sample } from "../measure/sample.ts";
import { ratioOf } from "./ratios.ts";

/** What the adapters mean to reach: requests a second beside another variant's, the median of the rounds. */
export interface Target {
  readonly text: string;
  readonly ours: string;
  readonly theirs: string;
  readonly aim: { readonly atLeast: number } | { readonly above: number };
}

/** A target beside what was measured. */
export interface Judged {
  readonly text: string;
  readonly aim: string;
  readonly measured: Spread | undefined;
  /** The same in requests for the same time of the processor. */
  readonly processor: Spread | undefined;
  readonly verdict: "reached" | "missed" | "not measured";
}

export const TARGETS: readonly Target[] = [
  {
    text: "node:http, no headers, over the bare server",
    ours: "node-tollgate-without",
    theirs: "node",
    aim: { atLeast: 0.96 },
  },
  {
    text: "node:http, two headers, over the bare server",
    ours: "node-tollgate",
    theirs: "node",
    aim: { atLeast: 0.88 },
  },
  { text: "express over the bare server", ours: "express-tollgate", theirs: "express", aim: { atLeast: 0.93 } },
  { text: "fastify over the bare server", ours: "fastify-tollgate", theirs: "fastify", aim: { atLeast: 0.86 } },
  {
    text: "hono over the server with an empty middleware",
    ours: "hono-tollgate",
    theirs: "hono-empty",
    aim: { atLeast: 0.9 },
  },
  {
    text: "express over express-rate-limit",
    ours: "express-tollgate",
    theirs: "express-usual",
    aim: { above: 1 },
  },
  {
    text: "fastify over @fastify/rate-limit",
    ours: "fastify-tollgate",
    theirs: "fastify-usual",
    aim: { above: 1 },
  },
  { text: "hono over hono-rate-limiter", ours: "hono-tollgate", theirs: "hono-usual", aim: { above: 1 } },
];

export function judge({ text, ours, theirs, aim }: Target, samples: readonly Sample[]): Judged {
  const measured = ratioOf(samples, ours, theirs, "requests");
  const processor = ratioOf(samples, ours, theirs, "processor");
  const words = "atLeast" in aim ? `≥ ${aim.atLeast.toFixed(2)}` : `> ${aim.above.toFixed(2)}`;
  return { text, aim: words, measured, processor, verdict: verdictOn(measured, aim) };
}

function verdictOn(measured: Spread | undefined, aim: Target["aim"]): Judged["verdict"] {
  if (measured === undefined) return "not measured";
  const reached = "atLeast" in aim ? measured.median >= aim.atLeast : measured.median > aim.above;
  return reached ? "reached" : "missed";
}
