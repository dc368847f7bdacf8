import type { Variant } from "../variant.ts";
import { TOLLGATE_HEADERS } from "./header-names.ts";

export const KOA: readonly Variant[] = [
  {
    id: "koa",
    framework: "koa",
    front: "nothing",
    options: "`app.use(handler)`",
    headers: [],
    load: async () => (await import("../servers/koa.ts")).serveBare,
  },
  {
    id: "koa-empty",
    framework: "koa",
    front: "empty middleware",
    options: "`app.use((context, next) => next())`",
    headers: [],
    load: async () => (await import("../servers/koa.ts")).serveEmpty,
  },
  {
    id: "koa-tollgate-without",
    framework: "koa",
    front: "Tollgate, no headers",
    options: "`app.use(rateLimit({ limiter, headers: false }))`",
    headers: [],
    load: async () => (await import("../servers/koa-tollgate.ts")).serveWithoutHeaders,
  },
  {
    id: "koa-tollgate",
    framework: "koa",
    front: "Tollgate",
    options: "`app.use(rateLimit({ limiter }))`",
    headers: TOLLGATE_HEADERS,
    load: async () => (await import("../servers/koa-tollgate.ts")).serveWithHeaders,
  },
];
