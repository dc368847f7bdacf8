import { KeyPool, shuffled } from "../harness/keys.ts";
import { expectCount, percentile } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";
import { keepInFlight, keysInTurn } from "./calls.ts";
import { connect, type Plan, variantOf } from "./measure.ts";
import { KEYS, UNITS } from "./variants.ts";

/** The variants whose lone calls are compared. */
export const LONE = ["flexible", "batched", "consume"] as const;

const BLOCKS = 60;
const BLOCK_MS = 10;

export type LoneOrder = { readonly port: number; readonly plan: Plan };

/**
 * Measures calls one after another. The contenders take turns in one process: two processes of one contender differ
 * by more than the contenders. @throws Error when a contender denies.
 */
export async function measureLone({ port, plan }: LoneOrder): Promise<Measured[]> {
  const nextKey = keysInTurn(new KeyPool(KEYS["distinct keys"]));
  const contenders = await Promise.all(
    LONE.map(async (row) => {
      const { entry } = variantOf(row);
      const client = connect(port, entry.client);
      const contender = await entry.create({ client, limit: UNITS["distinct keys"] });
      return { row, client, contender, clientUs: new Float64Array(BLOCKS), p50Ms: new Float64Array(BLOCKS) };
    }),
  );
  for (const { contender } of contenders) await keepInFlight(contender, nextKey, 1, 2 * plan.warmUpMs);
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const { contender, clientUs, p50Ms } of shuffled(contenders, block)) {
      const before = process.cpuUsage();
      const { answers, admitted, latenciesMs } = await keepInFlight(contender, nextKey, 1, BLOCK_MS);
      const { user, system } = process.cpuUsage(before);
      expectCount("calls admitted", admitted, answers);
      clientUs[block] = (user + system) / answers;
      p50Ms[block] = percentile(latenciesMs, 0.5);
    }
  }
  for (const { client } of contenders) client.disconnect();
  const median = (values: Float64Array) => percentile(values.sort(), 0.5);
  return contenders.map(({ row, clientUs, p50Ms }) => {
    return { table: "lone", row, figures: { clientUs: median(clientUs), p50Ms: median(p50Ms) } };
  });
}
