import { createLimiter } from "tollgate";
import type { HttpFacts } from "tollgate/node";
import { redisStore } from "tollgate/redis";
import { ordersOfChild, sendToParent } from "./child.ts";
import type { AdapterName, Algorithm, ClientName, Policy } from "./flood.ts";
import { GUEST_PATH } from "./keys.ts";
import { limitOf, onFailureOf } from "./limiter-options.ts";
import { loadClient, type Whereabouts } from "./open-client.ts";
import { loadServe } from "./serve.ts";

/** The orders of a server process with one client, one store, one limiter and one adapter. */
export interface ServerOrders extends Whereabouts {
  readonly adapter: AdapterName;
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

export interface ServerState {
  /** How often the circuit has opened. */
  readonly opened: number;
  /** The peak memory of the process. */
  readonly peakMb: number;
}

const orders = ordersOfChild<ServerOrders>();
const [open, serve] = await Promise.all([loadClient(orders.client), loadServe(orders.adapter)]);
const { client, connected } = await open(orders);
await connected;
let opened = 0;
const store = redisStore({
  client,
  onFailure: onFailureOf(orders.policy),
  observe: (observation) => {
    if (observation.type === "down") opened += 1;
  },
});
const limits = [limitOf(orders.algorithm, orders.capacity)];
const limitsOfGuest = [limitOf(orders.algorithm, 1_000_000)];
const limiter = createLimiter({
  name: "flood",
  key: ({ path }: HttpFacts) => path,
  limits: orders.hasGuest ? ({ path }: HttpFacts) => (path === GUEST_PATH ? limitsOfGuest : limits) : limits,
  store,
});
const started: ServerStarted = { port: await serve(limiter) };
process.on("message", () => {
  const state: ServerState = { opened, peakMb: Math.round(process.resourceUsage().maxRSS / 1024) };
  sendToParent(state);
});
sendToParent(started);
