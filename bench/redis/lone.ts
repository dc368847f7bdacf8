import type { Figures } from "../harness/figures.ts";
import { KeyPool, shuffled } from "../harness/keys.ts";
import { expectCount, percentile } from "../harness/measuring.ts";
import { keepInFlight, keysInTurn } from "./calls.ts";
import { ROWS, type RowId, WORKLOADS } from "./contenders.ts";
import { connect } from "./measure.ts";

/** The contenders whose lone calls are compared. */
export const LONE = ["flexible", "tollgate", "consume"] as const satisfies readonly RowId[];

const BLOCKS = 60;
const BLOCK_MS = 10;

export interface LoneOrder {
  readonly port: number;
  readonly warmUpMs: number;
}

/**
 * Measures calls one after another. The contenders take turns in one process: two processes of one contender differ
 * by more than the contenders. @throws Error when a contender denies.
 */
export async function measureLone({ port, warmUpMs }: LoneOrder): Promise<Record<string, Figures>> {
  const { keys, units } = WORKLOADS.distinct;
  const nextKey = keysInTurn(new KeyPool(keys));
  const contenders = await Promise.all(
    LONE.map(async (row) => {
      const client = connect(port);
      const contender = await ROWS[row].create({ client, limit: units });
      return { row, client, contender, clientUs: new Float64Array(BLOCKS), p50Ms: new Float64Array(BLOCKS) };
    }),
  );
  for (const { contender } of contenders) await keepInFlight(contender, nextKey, 1, warmUpMs);
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
  return Object.fromEntries(
    contenders.map(({ row, clientUs, p50Ms }) => [row, { clientUs: median(clientUs), p50Ms: median(p50Ms) }]),
  );
}
