import { Redis } from "ioredis";
import type * as Tollgate from "tollgate";
import type * as TollgateHybrid from "tollgate/hybrid";
import { load } from "../../kit/load-source.ts";

const { createLimiter, tokenBucket } = await load<typeof Tollgate>("index.ts");
const { hybridStore } = await load<typeof TollgateHybrid>("stores/hybrid/index.ts");

/** What a process is told at its start. */
export interface NodeOrders {
  readonly port: number;
  readonly prefix: string;
  readonly capacity: number;
  /** The time in which a bucket refills. */
  readonly refillMs: number;
}

/** What a process is told later. It answers each message with a number. */
export type NodeCommand =
  /** Calls one after another. @returns how many were admitted. */
  | { readonly verb: "allow"; readonly times: number }
  /** The same without asking the server. */
  | { readonly verb: "allowLocal"; readonly times: number }
  /** @returns units that it holds. */
  | { readonly verb: "held" }
  | { readonly verb: "close" };

const { port, prefix, capacity, refillMs } = JSON.parse(process.argv[2]!) as NodeOrders;
const redis = new Redis(port);
await redis.ping();
const store = hybridStore({ client: redis, prefix, timeout: "10s", onFailure: "deny" });
const limits = [tokenBucket({ capacity, refill: capacity, per: refillMs })];
const limiter = createLimiter({ name: "fleet", limits, store });

async function run(command: NodeCommand): Promise<number> {
  switch (command.verb) {
    case "allow": {
      let admitted = 0;
      for (let call = 0; call < command.times; call += 1) if (await limiter.allow("one")) admitted += 1;
      return admitted;
    }
    case "allowLocal": {
      let admitted = 0;
      for (let call = 0; call < command.times; call += 1) if (limiter.allowLocal("one") === true) admitted += 1;
      return admitted;
    }
    case "held": {
      const { leased, spent, returned, expired } = store.stats();
      return leased - spent - returned - expired;
    }
    case "close":
      await store.close();
      return 0;
    default:
      return command satisfies never;
  }
}

process.once("disconnect", () => process.exit());
process.on("message", (command: NodeCommand) => {
  void run(command).then((answer) => process.send?.(answer));
});
process.send?.("ready");
