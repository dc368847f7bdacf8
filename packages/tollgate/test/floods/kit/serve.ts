import type { Serve } from "./adapters/serving.ts";
import type { AdapterName } from "./flood.ts";

const LOADERS: Readonly<Record<AdapterName, () => Promise<{ readonly serve: Serve }>>> = {
  node: () => import("./adapters/node.ts"),
  express: () => import("./adapters/express.ts"),
  koa: () => import("./adapters/koa.ts"),
  fastify: () => import("./adapters/fastify.ts"),
  hono: () => import("./adapters/hono.ts"),
  fetch: () => import("./adapters/fetch.ts"),
};

/** Loads one framework and no other. */
export async function loadServe(adapter: AdapterName): Promise<Serve> {
  return (await LOADERS[adapter]()).serve;
}
