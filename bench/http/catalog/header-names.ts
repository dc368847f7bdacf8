/** What Tollgate sends by default. */
export const TOLLGATE_HEADERS: readonly string[] = ["ratelimit-policy", "ratelimit"];

/** What @fastify/rate-limit and express-rate-limit send by default. */
export const LEGACY_HEADERS: readonly string[] = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/** What hono-rate-limiter sends by default. */
export const DRAFT_6_HEADERS: readonly string[] = [
  "ratelimit-policy",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
];
