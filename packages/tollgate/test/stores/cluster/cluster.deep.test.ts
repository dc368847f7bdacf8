import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runNode } from "../../../../../test/support/run.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

interface Told {
  readonly held: readonly boolean[];
  readonly denied: readonly boolean[];
  readonly admitted: readonly number[];
  readonly left: number;
  readonly freed: boolean;
  readonly signal: string;
}

it("workers of a cluster share one quota, and what a killed worker held frees itself", async () => {
  const { status, stdout, stderr } = await runNode(FOLDER, ["cluster-program.mjs"]);
  expect([status, stderr]).toEqual([0, ""]);
  const { held, denied, admitted, left, freed, signal } = JSON.parse(stdout) as Told;
  expect({ held, denied, left, freed, signal }).toEqual({
    held: [true, true],
    denied: [false, false],
    left: 0,
    freed: true,
    signal: "SIGKILL",
  });
  // What the killed worker took before it died stays taken.
  const sum = admitted.reduce((all, each) => all + each, 0);
  expect(sum).toBeLessThan(1_000);
});
