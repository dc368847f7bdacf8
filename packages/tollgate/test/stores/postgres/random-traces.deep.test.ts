import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { postgresStore } from "tollgate/postgres";
import { afterAll, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../src/stores/redis/limiters-clock.ts";
import { ofFile } from "../../of-file.ts";
import { blockingSteps, LISTS_THAT_BLOCK } from "../../properties/block-arbitrary.ts";
import { playStepsOver, REACH_OF_TABLES_US } from "../../properties/run-scenario.ts";
import type { Scenario } from "../../properties/scenario.ts";
import { scenario } from "../../properties/scenario-arbitrary.ts";
import { KINDS } from "../../properties/server-scenarios.ts";
import { TODAY_US } from "../../properties/times.ts";
import { createBlockers, createWorld } from "../../properties/world.ts";
import { PostgresServer } from "./servers/start-postgres.ts";

/** How many traces of each kind are played. `TOLLGATE_TRACES` plays more. */
const TRACES = Number(process.env["TOLLGATE_TRACES"] ?? 8);

const server = await ofFile(PostgresServer.start());
const pool = server.pool();
afterAll(() => pool.end());

function storeByClock() {
  const byClock = { ...BY_LIMITERS_CLOCK, sweepInterval: false } as const;
  return postgresStore({ client: pool, prefix: randomUUID(), timeout: "30s", warnings: false, ...byClock });
}

it.each(Object.entries(KINDS))("%s over PostgreSQL decide as the model does", async (kind, options) => {
  const chosenPerCall = kind === "limits chosen per call";
  const play = ({ limiters, steps }: Scenario) =>
    playStepsOver(
      createWorld(TODAY_US, limiters, "memory", { stores: [storeByClock()], chosenPerCall }),
      steps,
      REACH_OF_TABLES_US,
    );
  await Promise.all(fc.sample(scenario(options), { numRuns: TRACES, seed: 1 }).map(play));
});

it("random traces with blocks over PostgreSQL equal the model", async () => {
  const play = (steps: Parameters<typeof playStepsOver>[1]) =>
    playStepsOver(createBlockers(TODAY_US, LISTS_THAT_BLOCK, storeByClock()), steps);
  await Promise.all(fc.sample(blockingSteps(100), { numRuns: 3, seed: 1 }).map(play));
});
