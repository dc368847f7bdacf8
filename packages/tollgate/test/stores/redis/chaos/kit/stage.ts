import { afterAll, beforeAll } from "vitest";
import type { ConnectedClient, TestClient } from "../../clients/kit/every-client.ts";
import { usedOf } from "./count.ts";
import { drain } from "./drain-limit.ts";
import { Fleet, type Members } from "./fleet.ts";
import { pass, Run } from "./traffic-run.ts";

/** Traffic is as it should be for that long, before anything happens. */
const CALM_MS = 400;

/** Servers, and how clients come to them. */
export interface Place {
  connect(client: TestClient): Promise<ConnectedClient>;
  /** A connection that nothing happens to. */
  connectAside(): Promise<ConnectedClient>;
  stop(): Promise<void>;
}

export interface StageOptions {
  readonly members: Members;
  readonly timeoutMs?: number;
}

export interface Told<Result> {
  readonly run: Run<Result>;
  /** What the server had counted in the end. */
  readonly used: ReadonlyMap<string, number>;
}

/** Before the tests of this block, lets something happen to servers under the traffic of clients; gives what came of it. */
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
  }, 60_000);
  afterAll(async () => {
    await fleet?.close();
    await place?.stop();
  });
  return () => {
    if (told === undefined) throw new Error("tests come after what happened");
    return told;
  };
}
