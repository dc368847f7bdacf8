import type { Variant } from "../variant.ts";
import { LEGACY_HEADERS, TOLLGATE_HEADERS } from "./header-names.ts";

export const EXPRESS: readonly Variant[] = [
  {
    framework: "express",
    id: "express",
    front: "nothing",
    options: '`app.get("/", handler)`',
    headers: [],
    load: async () => (await import("../servers/express.ts")).serveBare,
  },
  {
    framework: "express",
    id: "express-empty",
    front: "empty middleware",
    options: "`app.use((request, response, next) => next())`",
    headers: [],
    load: async () => (await import("../servers/express.ts")).serveEmpty,
  },
  {
    framework: "express",
    id: "express-usual",
    front: "usual limiter",
    options: "express-rate-limit: `app.use(rateLimit({ limit, windowMs: 86_400_000 }))`",
    headers: LEGACY_HEADERS,
    load: async () => (await import("../servers/express-rate-limit.ts")).serve,
  },
  {
    id: "express-tollgate-without",
    framework: "express",
    front: "Tollgate, no headers",
    options: "`app.use(rateLimit({ limiter, headers: false }))`",
    headers: [],
    load: async () => (await import("../servers/express-tollgate.ts")).serveWithoutHeaders,
  },
  {
    id: "express-tollgate",
    framework: "express",
    front: "Tollgate",
    options: "`app.use(rateLimit({ limiter }))`",
    headers: TOLLGATE_HEADERS,
    load: async () => (await import("../servers/express-tollgate.ts")).serveWithHeaders,
  },
];
