import type { Variant } from "../variant.ts";
import { LEGACY_HEADERS, TOLLGATE_HEADERS } from "./header-names.ts";

export const FASTIFY: readonly Variant[] = [
  {
    id: "fastify",
    framework: "fastify",
    front: "nothing",
    options: '`app.get("/", handler)`',
    headers: [],
    load: async () => (await import("../servers/fastify.ts")).serveBare,
  },
  {
    id: "fastify-empty",
    framework: "fastify",
    front: "empty middleware",
    options: '`app.addHook("onRequest", (request, reply, done) => done())`',
    headers: [],
    load: async () => (await import("../servers/fastify.ts")).serveEmpty,
  },
  {
    id: "fastify-usual",
    framework: "fastify",
    front: "usual limiter",
    options: "@fastify/rate-limit: `await app.register(rateLimit, { max, timeWindow: 86_400_000 })`",
    headers: LEGACY_HEADERS,
    load: async () => (await import("../servers/fastify-rate-limit.ts")).serve,
  },
  {
    id: "fastify-tollgate-without",
    framework: "fastify",
    front: "Tollgate, no headers",
    options: "`await app.register(rateLimit, { limiter, headers: false })`",
    headers: [],
    load: async () => (await import("../servers/fastify-tollgate.ts")).serveWithoutHeaders,
  },
  {
    id: "fastify-tollgate",
    framework: "fastify",
    front: "Tollgate",
    options: "`await app.register(rateLimit, { limiter })`",
    headers: TOLLGATE_HEADERS,
    load: async () => (await import("../servers/fastify-tollgate.ts")).serveWithHeaders,
  },
];
