import { createServer } from "node:http";
import { createLimiter } from "tollgate";
import { type HttpFacts, rateLimit } from "tollgate/node";
import { redisStore } from "tollgate/redis";
import { ordersLater, ordersOfChild, sendToParent } from "./child.ts";
import type { Algorithm, ClientName, Policy } from "./flood.ts";
import { GUEST_PATH } from "./keys.ts";
import { limitOf, onFailureOf } from "./limiter-options.ts";
import { loadClient, type Whereabouts } from "./open-client.ts";
import { BODY, DEGRADED, listen } from "./serving.ts";

/** The orders of a server process with one client, one store and one limiter. */
export interface ServerOrders extends Whereabouts {
  readonly client: ClientName;
  readonly algorithm: Algorithm;
  readonly policy: Policy;
  readonly capacity: number;
  /** Whether the path of a second client has a limit that it never reaches. */
  readonly hasGuest?: boolean;
}

export interface ServerStarted {
  readonly port: number;
}

ordersOfChild();
const orders = await ordersLater<ServerOrders>();
const open = await loadClient(orders.client);
const { client, connected } = await open(orders);
await connected;
const store = redisStore({ client, onFailure: onFailureOf(orders.policy) });
const limits = [limitOf(orders.algorithm, orders.capacity)];
const limitsOfGuest = [limitOf(orders.algorithm, 1_000_000)];
const limiter = createLimiter({
  name: "flood",
  key: ({ path }: HttpFacts) => path,
  limits: orders.hasGuest ? ({ path }: HttpFacts) => (path === GUEST_PATH ? limitsOfGuest : limits) : limits,
  store,
});
const limit = rateLimit({ limiter });
const server = createServer(
  limit((request, response) => {
    const degraded = request.rateLimit?.degraded;
    if (degraded !== undefined) response.setHeader(DEGRADED, degraded);
    response.end(BODY);
  }),
);
const started: ServerStarted = { port: await listen(server) };
sendToParent(started);
