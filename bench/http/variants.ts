export const FRAMEWORKS = ["node", "express", "fastify", "hono", "koa"] as const;

export type Framework = (typeof FRAMEWORKS)[number];

/** What may be in front of the handler, in the order of the page's rows. */
export const FRONTS = {
  nothing: "nothing",
  usual: "the usual limiter",
  bare: "Tollgate, no headers",
  tollgate: "Tollgate",
} as const;

export type Front = keyof typeof FRONTS;

export interface Variant {
  readonly framework: Framework;
  readonly front: Front;
}

/** The rate limit headers of the frameworks' usual limiters, in lower case. */
const LEGACY = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const DRAFT_6 = ["ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
const USUAL: Readonly<Partial<Record<Framework, readonly string[]>>> = {
  express: LEGACY,
  fastify: LEGACY,
  hono: DRAFT_6,
};

/** node:http and koa have no usual limiter. */
export function frontsOf(framework: Framework): Front[] {
  return (Object.keys(FRONTS) as Front[]).filter((front) => front !== "usual" || framework in USUAL);
}

/** The rate limit headers of a variant's responses. */
export function headersOf({ framework, front }: Variant): readonly string[] {
  if (front === "usual") return USUAL[framework] ?? [];
  return front === "tollgate" ? ["ratelimit-policy", "ratelimit"] : [];
}

/** Whether the variant denies requests beyond its limit. */
export function hasLimit({ front }: Variant): boolean {
  return front !== "nothing";
}
