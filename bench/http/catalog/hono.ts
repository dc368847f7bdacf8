import type { Variant } from "../variant.ts";
import { DRAFT_6_HEADERS, TOLLGATE_HEADERS } from "./header-names.ts";

export const HONO: readonly Variant[] = [
  {
    id: "hono",
    framework: "hono",
    front: "nothing",
    options: '`app.get("/", handler)`',
    headers: [],
    load: async () => (await import("../servers/hono.ts")).serveBare,
  },
  {
    id: "hono-empty",
    framework: "hono",
    front: "empty middleware",
    options: "`app.use((context, next) => next())`",
    headers: [],
    load: async () => (await import("../servers/hono.ts")).serveEmpty,
  },
  {
    id: "hono-usual",
    framework: "hono",
    front: "usual limiter",
    options:
      "hono-rate-limiter: `app.use(rateLimiter({ limit, windowMs: 86_400_000, keyGenerator }))`, the key by `getConnInfo`",
    headers: DRAFT_6_HEADERS,
    load: async () => (await import("../servers/hono-rate-limiter.ts")).serve,
  },
  {
    id: "hono-tollgate-without",
    framework: "hono",
    front: "Tollgate, no headers",
    options: "`app.use(rateLimit({ limiter, headers: false }))`",
    headers: [],
    load: async () => (await import("../servers/hono-tollgate.ts")).serveWithoutHeaders,
  },
  {
    id: "hono-tollgate",
    framework: "hono",
    front: "Tollgate",
    options: "`app.use(rateLimit({ limiter }))`",
    headers: TOLLGATE_HEADERS,
    load: async () => (await import("../servers/hono-tollgate.ts")).serveWithHeaders,
  },
];
