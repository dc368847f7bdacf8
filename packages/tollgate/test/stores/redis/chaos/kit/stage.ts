import { afterAll, beforeAll } from "vitest";
import type { ConnectedClient, TestClient } from "../../clients/kit/every-client.ts";
import { usedOf } from "./count.ts";
import { drain } from "./drain-limit.ts";
import { Fleet, type Members } from "./fleet.ts";
import { pass, Run } from "./traffic-run.ts";

/** The time of normal traffic before the incident. */
const CALM_MS = 400;

/** Servers, and the connections to them. */
export interface Place {
  connect(client: TestClient): Promise<ConnectedClient>;
  /** A connection that no incident affects. */
  connectAside(): Promise<ConnectedClient>;
  stop(): Promise<void>;
}

export interface StageOptions {
  readonly members: Members;
  readonly timeoutMs?: number;
}

export interface Told<Result> {
  readonly run: Run<Result>;
  /** The counts of the server at the end. */
  readonly used: ReadonlyMap<string, number>;
}

/** Runs an incident under traffic before the tests of this block, and returns a function for its results. */
export function stage<Here extends Place, Result>(
  open: () => Promise<Here>,
  options: StageOptions,
  happening: (place: Here, fleet: Fleet) => Promise<Result>,
): () => Told<Result> {
  let place: Here | undefined;
  let fleet: Fleet | undefined;
  let told: Told<Result> | undefined;
  beforeAll(async () => {
    const here = await open();
    place = here;
    const all = await Fleet.of({ ...options, connect: (client) => here.connect(client) });
    fleet = all;
    const run = await Run.of(all.lanes, async () => {
      await pass(CALM_MS);
      const result = await happening(here, all);
      await drain(all.lanes);
      return result;
    });
    const aside = await here.connectAside();
    told = { run, used: await usedOf(aside.client, all.prefix, run.calls) };
    await aside.close();
  });
  afterAll(async () => {
    await fleet?.close();
    await place?.stop();
  });
  return () => {
    if (told === undefined) throw new Error("expected a call within a test, got one before the incident");
    return told;
  };
}
