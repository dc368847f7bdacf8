import type { Serve } from "./servers/serve.ts";

/** In the order of the report. */
export const FRAMEWORKS = ["node:http", "express", "fastify", "hono", "koa"] as const;

export type Framework = (typeof FRAMEWORKS)[number];

/** What stands in front of the handler. */
export type Front = "nothing" | "empty middleware" | "usual limiter" | "Tollgate, no headers" | "Tollgate";

/** One server, a row of the report. */
export interface Variant {
  readonly id: string;
  readonly framework: Framework;
  readonly front: Front;
  /** How it is set up. */
  readonly options: string;
  /** The headers of its answers that tell of limits, in lower case. */
  readonly headers: readonly string[];
  readonly load: () => Promise<Serve>;
}

/** Whether it is to refuse requests beyond its limit. */
export function limits({ front }: Variant): boolean {
  return front !== "nothing" && front !== "empty middleware";
}

export function nameOf({ framework, front }: Variant): string {
  return front === "nothing" ? `${framework}, bare` : `${framework}, ${front}`;
}
