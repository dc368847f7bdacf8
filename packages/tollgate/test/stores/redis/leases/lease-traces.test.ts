import { describe, expect, it } from "vitest";
import { useScriptServer } from "../script/kit/script-server.ts";
import { LeaseTrace } from "./kit/lease-trace.ts";

const started = useScriptServer();
const TRACES = 200;
const STEPS = 60;

describe("leases in the script", () => {
  it("random traces of leases, reports and strict calls equal the model in BigInt", async () => {
    const differences: string[] = [];
    for (let seed = 1; seed <= TRACES && differences.length === 0; seed += 1) {
      const trace = new LeaseTrace(started.server, seed);
      for (let step = 0; step < STEPS; step += 1) await trace.step();
      differences.push(...trace.differences);
    }
    expect(differences).toEqual([]);
  });
});
