import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runNode } from "../../../../../test/support/run.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

it("the registry of a cluster's primary adds up the metrics of its workers", async () => {
  const { status, stdout, stderr } = await runNode(FOLDER, ["cluster.mjs"]);
  expect([status, stderr]).toEqual([0, ""]);
  const lines = stdout.split("\n");
  // Worker 1 makes 6 calls of the key, worker 2 makes 8; each admits 5, and one call of another key.
  for (const line of [
    'rate_limit_acquire_total{limiter="api",limit="calls",result="allow"} 12',
    'rate_limit_acquire_total{limiter="api",limit="calls",result="deny"} 4',
    'rate_limit_acquire_duration_seconds_count{limiter="api"} 16',
    'rate_limit_acquire_duration_seconds_bucket{limiter="api",le="+Inf"} 16',
    'rate_limit_near_limit_total{limiter="api",limit="calls"} 2',
    'rate_limit_tokens{limiter="api",limit="calls",key="a"} 0',
    'rate_limit_keys{store="memory"} 4',
    'rate_limit_overflow_total{store="memory"} 0',
    'rate_limit_waiting{limiter="api"} 0',
  ]) {
    expect(lines).toContain(line);
  }
});
