import type { Bench } from "../harness/run-bench.ts";
import { generatorName } from "../http/generator.ts";
import { CHECKS } from "./checks.ts";
import { DECISIONS } from "./decisions.ts";
import { GRPC } from "./grpc.ts";
import { FULL, QUICK } from "./measure.ts";
import { RELOADS } from "./reloads.ts";
import { STARTS } from "./starts.ts";

const PARTS = [CHECKS, DECISIONS, GRPC, RELOADS, STARTS];

export const BENCH: Bench = {
  name: "bench-service",
  packages: ["tollgate"],
  method: "by round",
  sections: { results: PARTS.flatMap(({ tables }) => tables) },
  targets: PARTS.flatMap(({ targets }) => targets),
  async open(quick) {
    const plan = quick ? QUICK : FULL;
    const { connections, seconds, warmUpSeconds } = plan;
    const load = `${await generatorName()}, ${connections} connections, ${seconds} s after ${warmUpSeconds} s of warm-up`;
    return { tasks: PARTS.flatMap(({ tasks }) => tasks(plan)), setting: { load } };
  },
};
