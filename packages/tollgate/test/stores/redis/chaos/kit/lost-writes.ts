import { createLimiter, fixedWindow } from "tollgate";
import { redisStore, type StoreClient } from "tollgate/redis";
import { eventuallyTrue } from "../../servers/eventually.ts";
import type { RedisServer } from "../../servers/redis-server.ts";
import { type CallRecord, type Landing, landing } from "./call-record.ts";
import { admittedByServer } from "./findings.ts";
import type { LimiterName } from "./limits.ts";

export const CAPACITY = 100;
/** Units taken before the replica is disconnected, and after. */
const KEPT = 40;
const LOST = 25;
/** The maximum replication delay. */
const REPLICATED_MS = 50;

/** Units of a limit of 100, as the test counted them. */
export interface Counted {
  readonly admittedBefore: number;
  /** The part that the new primary has. */
  readonly found: number;
  readonly admittedAfter: number;
}

/** Times of the events, by `performance.now()`. */
export interface Loss {
  readonly beginMs: number;
  /** Later writes do not reach the replica. */
  readonly aheadMs: number;
  readonly killedMs: number;
}

/** A key of a limit of 100, used by no other caller. */
export class CountedKey {
  readonly #take: () => Promise<boolean>;
  readonly #used: () => Promise<number>;
  #admitted = 0;

  constructor(client: StoreClient, key: string) {
    const store = redisStore({ client, prefix: "counted", timeout: "5s", onFailure: "deny" });
    const limits = [fixedWindow({ limit: CAPACITY, window: "1d", anchor: "first-use" })];
    const limiter = createLimiter({ name: "counted", limits, store });
    this.#take = async () => {
      const { allowed, degraded } = await limiter.consume(key);
      if (degraded !== undefined) throw new Error(`expected the server's decision, got one without it: ${degraded}`);
      return allowed;
    };
    this.#used = async () => (await limiter.explain(key))[0]!.used;
  }

  /**
   * Takes units that the replica receives and units that it does not, and kills the primary. Then it calls `isBack`,
   * and takes all units that are left.
   */
  async killAhead(
    primary: RedisServer,
    replica: RedisServer,
    isBack: () => Promise<void>,
  ): Promise<{ readonly loss: Loss; readonly counted: Counted; readonly backMs: number }> {
    await this.#takeUnits(KEPT);
    await untilFollowed(primary, replica);
    const beginMs = performance.now();
    replica.pause();
    await primary.command("CLIENT", "KILL", "TYPE", "REPLICA");
    const aheadMs = performance.now();
    await this.#takeUnits(LOST);
    await primary.kill();
    const killedMs = performance.now();
    replica.resume();
    const admittedBefore = this.#admitted;
    await isBack();
    const backMs = performance.now();
    const found = await this.#used();
    await this.#takeUnits(2 * CAPACITY);
    const admittedAfter = this.#admitted - admittedBefore;
    return { loss: { beginMs, aheadMs, killedMs }, counted: { admittedBefore, found, admittedAfter }, backMs };
  }

  async #takeUnits(units: number): Promise<void> {
    for (let i = 0; i < units; i += 1) if (await this.#take()) this.#admitted += 1;
  }
}

/** Whether a call's units are on the new primary, if its key was on the lost one. */
export function landingAfter(loss: Loss, call: CallRecord): Landing {
  const usual = landing(call);
  const { startedMs, endedMs } = call;
  if (usual === "no" || startedMs > loss.killedMs || endedMs < loss.beginMs - REPLICATED_MS) return usual;
  return startedMs >= loss.aheadMs && endedMs <= loss.killedMs ? "no" : "maybe";
}

/** The units admitted by the old primary that the new one may not have. */
export function lostUnits(
  calls: readonly CallRecord[],
  limiter: LimiterName,
  landed: (call: CallRecord) => Landing,
): number {
  return admittedByServer(
    calls.filter((call) => landed(call) !== "yes"),
    limiter,
  );
}

async function untilFollowed(primary: RedisServer, replica: RedisServer): Promise<void> {
  const offset = Number((await primary.info("replication")).get("master_repl_offset"));
  await eventuallyTrue("the replica to have what the primary has", async () => {
    return Number((await replica.info("replication")).get("slave_repl_offset")) >= offset;
  });
}
