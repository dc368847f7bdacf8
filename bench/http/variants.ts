/** Starts a server that admits this many requests a day from each address. Returns its port. */
export type Serve = (limit: number) => Promise<number>;

/** In the order of the page. */
export const FRAMEWORKS = ["node:http", "express", "fastify", "hono", "koa"] as const;

/** What stands in front of the handler. */
export type Front = "nothing" | "empty middleware" | "usual limiter" | "Tollgate, no headers" | "Tollgate";

/** One server, a row of the page. */
export interface Variant {
  readonly id: string;
  readonly framework: (typeof FRAMEWORKS)[number];
  readonly front: Front;
  /** How it is set up. */
  readonly options: string;
  /** The rate limit headers of its responses, in lower case. */
  readonly headers: readonly string[];
}

const SUFFIXES: Readonly<Record<Front, string>> = {
  nothing: "",
  "empty middleware": "-empty",
  "usual limiter": "-usual",
  "Tollgate, no headers": "-tollgate-without",
  Tollgate: "-tollgate",
};

/** Sent by default. */
const TOLLGATE_HEADERS = ["ratelimit-policy", "ratelimit"];
const LEGACY_HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const DRAFT_6_HEADERS = ["ratelimit-policy", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"];

const USE = {
  "Tollgate, no headers": "`app.use(rateLimit({ limiter, headers: false }))`",
  Tollgate: "`app.use(rateLimit({ limiter }))`",
};

export const VARIANTS: readonly Variant[] = [
  ...variantsOf("node:http", {
    nothing: "`createServer(handler)`",
    "Tollgate, no headers": "`rateLimit({ limiter, headers: false })(handler)`",
    Tollgate: "`rateLimit({ limiter })(handler)`",
  }),
  ...variantsOf(
    "express",
    {
      nothing: '`app.get("/", handler)`',
      "empty middleware": "`app.use((request, response, next) => next())`",
      "usual limiter": "express-rate-limit: `app.use(rateLimit({ limit, windowMs: 86_400_000 }))`",
      ...USE,
    },
    LEGACY_HEADERS,
  ),
  ...variantsOf(
    "fastify",
    {
      nothing: '`app.get("/", handler)`',
      "empty middleware": '`app.addHook("onRequest", (request, reply, done) => done())`',
      "usual limiter": "@fastify/rate-limit: `await app.register(rateLimit, { max, timeWindow: 86_400_000 })`",
      "Tollgate, no headers": "`await app.register(rateLimit, { limiter, headers: false })`",
      Tollgate: "`await app.register(rateLimit, { limiter })`",
    },
    LEGACY_HEADERS,
  ),
  ...variantsOf(
    "hono",
    {
      nothing: '`app.get("/", handler)`',
      "empty middleware": "`app.use((context, next) => next())`",
      "usual limiter":
        "hono-rate-limiter: `app.use(rateLimiter({ limit, windowMs: 86_400_000, keyGenerator }))`, key by `getConnInfo`",
      ...USE,
    },
    DRAFT_6_HEADERS,
  ),
  ...variantsOf("koa", {
    nothing: "`app.use(handler)`",
    "empty middleware": "`app.use((context, next) => next())`",
    ...USE,
  }),
];

/** `usualHeaders`: those of the framework's usual limiter. */
function variantsOf(
  framework: Variant["framework"],
  options: Partial<Record<Front, string>>,
  usualHeaders: readonly string[] = [],
): Variant[] {
  const headers: Partial<Record<Front, readonly string[]>> = {
    "usual limiter": usualHeaders,
    Tollgate: TOLLGATE_HEADERS,
  };
  return (Object.keys(options) as Front[]).map((front) => ({
    id: idOf(framework, front),
    framework,
    front,
    options: options[front] ?? "",
    headers: headers[front] ?? [],
  }));
}

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
