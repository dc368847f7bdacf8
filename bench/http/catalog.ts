import { EXPRESS } from "./catalog/express.ts";
import { FASTIFY } from "./catalog/fastify.ts";
import { HONO } from "./catalog/hono.ts";
import { KOA } from "./catalog/koa.ts";
import { NODE } from "./catalog/node.ts";
import type { Variant } from "./variant.ts";

/** In the order of the report's rows. */
export const VARIANTS: readonly Variant[] = [...NODE, ...EXPRESS, ...FASTIFY, ...HONO, ...KOA];
