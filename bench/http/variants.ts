export const FRAMEWORKS = ["node:http", "express", "fastify", "hono", "koa"] as const;

export type Front = "nothing" | "empty middleware" | "usual limiter" | "Tollgate, no headers" | "Tollgate";

export interface Variant {
  readonly id: string;
  readonly framework: (typeof FRAMEWORKS)[number];
  readonly front: Front;
  /** The rate limit headers of its responses, in lower case. */
  readonly headers: readonly string[];
}

/** The parts of ids, and the order of the page's rows. */
const SUFFIXES: Readonly<Record<Front, string>> = {
  nothing: "",
  "empty middleware": "-empty",
  "usual limiter": "-usual",
  "Tollgate, no headers": "-tollgate-without",
  Tollgate: "-tollgate",
};

/** The headers of the frameworks' usual limiters. */
const LEGACY = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const DRAFT_6 = ["ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];
const USUAL_HEADERS: Partial<Record<Variant["framework"], readonly string[]>> = {
  express: LEGACY,
  fastify: LEGACY,
  hono: DRAFT_6,
};

/** node:http has no middleware, and koa no usual limiter. */
export const VARIANTS: readonly Variant[] = FRAMEWORKS.flatMap((framework) => {
  const usual = USUAL_HEADERS[framework];
  const isKnown: Partial<Record<Front, boolean>> = {
    "empty middleware": framework !== "node:http",
    "usual limiter": usual !== undefined,
  };
  const fronts = (Object.keys(SUFFIXES) as Front[]).filter((front) => isKnown[front] ?? true);
  return fronts.map((front): Variant => {
    const own = front === "Tollgate" ? ["ratelimit-policy", "ratelimit"] : [];
    const headers = front === "usual limiter" ? (usual ?? []) : own;
    return { id: idOf(framework, front), framework, front, headers };
  });
});

/** As in `node`, `express-empty`, `koa-tollgate-without`. */
export function idOf(framework: Variant["framework"], front: Front): string {
  return `${framework.replace(":http", "")}${SUFFIXES[front]}`;
}

export function nameOf({ framework, front }: Variant): string {
  return front === "nothing" ? `${framework}, bare` : `${framework}, ${front}`;
}

/** Whether the variant denies requests beyond its limit. */
export function hasLimit({ front }: Variant): boolean {
  return front !== "nothing" && front !== "empty middleware";
}
