import type { Variant } from "../variant.ts";
import { TOLLGATE_HEADERS } from "./header-names.ts";

export const NODE: readonly Variant[] = [
  {
    id: "node",
    framework: "node:http",
    front: "nothing",
    options: "`createServer(handler)`",
    headers: [],
    load: async () => (await import("../servers/node.ts")).serveBare,
  },
  {
    id: "node-tollgate-without",
    framework: "node:http",
    front: "Tollgate, no headers",
    options: "`rateLimit({ limiter, headers: false })(handler)`",
    headers: [],
    load: async () => (await import("../servers/node-tollgate.ts")).serveWithoutHeaders,
  },
  {
    id: "node-tollgate",
    framework: "node:http",
    front: "Tollgate",
    options: "`rateLimit({ limiter })(handler)`",
    headers: TOLLGATE_HEADERS,
    load: async () => (await import("../servers/node-tollgate.ts")).serveWithHeaders,
  },
];
