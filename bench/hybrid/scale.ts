import { fileURLToPath } from "node:url";
import { run } from "../harness/child-process.ts";

/** What the simulator of the tests measured (`test/stores/redis/hybrid/simulation/scale.ts`). */
export interface Scale {
  readonly nodes: number;
  readonly factor: number;
  /** Requests in the time in which the bucket refills. */
  readonly requests: number;
  readonly admittedPart: number;
}

const SIMULATOR = fileURLToPath(
  new URL("../../../packages/tollgate/test/stores/redis/hybrid/simulation/scale-program.ts", import.meta.url),
);
const CAPACITY = 100_000;
const NODES = [1, 4, 16, 64, 256, 1_000];
const FACTORS = [0.5, 0.95, 2] as const;
const REFILLS = 4;
const TIMEOUT_MS = 1_800_000;

/** Fleets of several sizes under the same loads: shipped nodes and the shipped script, at simulated times. */
export async function simulateScale(port: number): Promise<readonly Scale[]> {
  const loads = NODES.flatMap((nodes) => {
    return FACTORS.map((factor) => ({ nodes, factor, capacity: CAPACITY, refills: REFILLS }));
  });
  const args = ["--import", "tsx", SIMULATOR, String(port), JSON.stringify(loads)];
  const { stdout } = await run(process.execPath, args, { timeout: TIMEOUT_MS });
  return JSON.parse(stdout) as readonly Scale[];
}

/** Requests in a refill time below the limit: a renewal for each lease. */
function renewals(nodes: number): number {
  return nodes / Math.min(0.1 * Math.sqrt(nodes), 0.3);
}

/** A row for each number of nodes, with the formula. */
export function scaleTableOf(scales: readonly Scale[]): string {
  const at = (nodes: number, factor: number): Scale => {
    const found = scales.find((scale) => scale.nodes === nodes && scale.factor === factor);
    if (found === undefined) throw new Error(`expected a result of ${nodes} nodes`);
    return found;
  };
  const figures = FACTORS.map((factor) => `${factor} × the rate`);
  const head = ["nodes", "n / min(0.1 √n, 0.3)", ...figures, "admitted at 2 ×"];
  const rows = NODES.map((nodes) => [
    nodes.toLocaleString("en"),
    Math.round(renewals(nodes)).toLocaleString("en"),
    ...FACTORS.map((factor) => Math.round(at(nodes, factor).requests).toLocaleString("en")),
    `${(100 * at(nodes, 2).admittedPart).toFixed(1)} %`,
  ]);
  const strict = FACTORS.map((factor) => (CAPACITY * factor).toLocaleString("en"));
  const all = [...rows, ["any, strict", "", ...strict, "100.0 %"]];
  return [head, head.map(() => "---:"), ...all].map((row) => `| ${row.join(" | ")} |`).join("\n");
}
