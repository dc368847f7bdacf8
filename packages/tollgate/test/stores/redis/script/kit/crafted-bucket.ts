import { CompiledPlan } from "../../../../../src/algorithms/compiled-plan.ts";
import { Ticks } from "../../../../../src/algorithms/ticks.ts";
import { type TickScale, tickScale } from "../../../../../src/core/limits/tick-scale.ts";
import { createPlan } from "../../../../../src/core/plan.ts";
import { createTimeCell } from "../../../../../src/core/time-cell.ts";
import { VERBS } from "../../../../../src/core/verbs.ts";
import { tokenBucket } from "../../../../../src/index.ts";
import { Report } from "../../../../../src/store/index.ts";
import { originOf } from "../../../../../src/stores/redis/script/encode-call.ts";
import { encodePlan } from "../../../../../src/stores/redis/script/encode-plan.ts";
import { describeLimit, FIRST_GROUP, ROW_VERSION } from "../../../../../src/stores/redis/script/row.ts";
import { outcomeDifferences } from "./compare-outcomes.ts";
import { call, NOW_US } from "./script-call.ts";
import type { ScriptServer } from "./script-server.ts";

const WRITE_CELL = `
local head = string.char(${ROW_VERSION}) .. struct.pack('<i7', 0) .. ARGV[2]
redis.call('SET', KEYS[1], head .. struct.pack('<i7', tonumber(ARGV[1])))`;
const COST = 3;

/** A token bucket with a crafted cell, and its kernel. */
export class CraftedBucket {
  readonly ticks: Ticks;
  readonly scale: TickScale;
  readonly ticksPerPeriod: bigint;
  readonly #name: string;
  readonly #description: string;
  readonly #compiled: CompiledPlan;
  readonly #encoded: ReturnType<typeof encodePlan>;

  constructor(capacity: number, refill: number, perUs: number) {
    const originUs = originOf(NOW_US);
    const plan = createPlan("api", "api", [tokenBucket({ capacity, refill, per: perUs / 1_000 })]);
    this.ticks = new Ticks(capacity, refill, perUs, originUs);
    this.scale = tickScale(capacity, refill, perUs);
    this.ticksPerPeriod = BigInt(this.scale.units) * BigInt(this.scale.ticksPerUnit);
    this.#name = plan.id;
    this.#description = describeLimit(plan.limits[0]!, plan) + FIRST_GROUP;
    this.#compiled = new CompiledPlan(plan, originUs);
    this.#encoded = encodePlan(plan);
  }

  /** Every difference between the script and the kernel for a bucket that is full at a given tick. */
  async differences(server: ScriptServer, nowUs: number, fullTicks: number): Promise<string[]> {
    const key = `${this.#name} ${nowUs} ${fullTicks}`;
    await server.command("EVAL", WRITE_CELL, "1", key, String(fullTicks), this.#description);
    const got = await server.run({
      time: "transactions",
      transactions: [call("explain", this.#encoded, key, COST, { nowUs })],
    });
    const report = this.#explained(nowUs, fullTicks);
    return outcomeDifferences(got, [{ admitted: report.admitted ? 1 : 0, reports: [report] }]).map(
      (difference) => `${key}: ${difference}`,
    );
  }

  #explained(nowUs: number, fullTicks: number): Report {
    const cells = new Float64Array([fullTicks]);
    const now = createTimeCell(nowUs);
    const report = new Report();
    this.#compiled.begin("known", cells, 0, now);
    report.admitted = this.#compiled.apply(VERBS.explain, cells, 0, [COST], now, report, 0);
    return report;
  }
}
