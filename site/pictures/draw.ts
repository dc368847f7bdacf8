import { createLimiter, type LocalStore, memoryStore, type OnFailure, slidingWindow } from "tollgate";
import { postgresStore } from "tollgate/postgres";
import { sharedStore } from "tollgate/shared";
import { stepsOf } from "../playground/chart.ts";
import { FIRST } from "../playground/state.ts";
import { timelines } from "../playground/timeline.ts";
import { box, path, svg, text } from "./svg.ts";

/** Each picture by its name in `docs/pictures`, drawn from what the library answers now. */
export async function pictures(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["bucket-and-windows.svg", bucketAndWindows()],
    ["where-a-count-lives.svg", whereACountLives()],
    ["outage.svg", await outage()],
  ]);
}

/** Ten a minute: ten calls just before a minute of the clock, ten just after it, then one every three seconds. */
function bucketAndWindows(): string {
  const burst = (second: number) => Array.from({ length: 10 }, () => second * 1_000);
  const steady = Array.from({ length: 38 }, (_, turn) => (64 + turn * 3) * 1_000);
  const arrivals = [...burst(59), ...burst(61), ...steady];
  const left = 20;
  const x = (ms: number) => left + ms / 250;
  const parts = timelines({ ...FIRST, windowSeconds: 60, arrivals }).flatMap((lane, index) => {
    const top = 20 + index * 120;
    const y = (units: number) => top + 80 - units * 6;
    const shape = (wasAdmitted: boolean) =>
      [...new Set(arrivals.filter((_, call) => lane.admitted[call] === wasAdmitted))]
        .map((at) => (wasAdmitted ? `M${x(at)} ${top + 95}v-9` : `M${x(at) - 3} ${top + 87}l6 7m0 -7l-6 7`))
        .join("");
    const inTwoSeconds = lane.admitted.slice(0, 20).filter((was) => was).length;
    const title = `${lane.algorithm}: ${inTwoSeconds} of 20 within two seconds, ${lane.admittedCount} of all`;
    return [
      text(left, top, title, "title"),
      path(`M${x(60_000)} ${top + 10}v90M${x(120_000)} ${top + 10}v90`, "edge"),
      path(
        stepsOf(
          lane.levels.filter(([at]) => at < 180_000),
          x,
          y,
          x(180_000),
        ),
      ),
      path(shape(true), "good"),
      path(shape(false), "bad"),
    ];
  });
  const seconds = [0, 60, 120, 180].map((second) => text(x(second * 1_000), 375, `${second} s`, "small middle"));
  const legend = text(left, 398, "line: units left · bar: calls that pass · cross: calls that are denied", "small");
  const label = "Ten calls a minute as a token bucket, a sliding window and a fixed window";
  return svg(770, 410, label, [...parts, ...seconds, legend]);
}

/** The calls that two limiters of one name admit together, each asked ten times. */
function together(stores: readonly LocalStore[]): number {
  const limits = [slidingWindow({ limit: 10, window: "1h" })];
  return stores
    .map((store) => createLimiter({ name: "api", limits, store }))
    .map((limiter) => Array.from({ length: 10 }, () => limiter.allow("ann")).filter((was) => was).length)
    .reduce((sum, count) => sum + count, 0);
}

/** What two nodes over one Redis admit together. The script has no server: a test asks one. */
export const TOGETHER_OVER_REDIS = 10;

function whereACountLives(): string {
  const shared = sharedStore({ maxKeys: 100 });
  const columns = [
    ["memoryStore", "process", "each its own", together([memoryStore(), memoryStore()])],
    ["sharedStore", "thread", "shared memory", together([shared, sharedStore.attach(shared.handle)])],
    ["redisStore", "node", "Redis", TOGETHER_OVER_REDIS],
  ] as const;
  const parts = columns.flatMap(([name, caller, place, admitted], index) => {
    const left = 20 + index * 250;
    const callers = [left, left + 120].flatMap((x) => [box(x, 40, 90, 50), text(x + 45, 70, caller, "middle")]);
    const count = admitted > 10 ? [left, left + 120].map((x) => [x + 10, 70]) : [[left + 20, 170]];
    const counts = count.flatMap(([x = 0, width = 0]) => [
      box(x, 120, width, 44),
      text(x + width / 2, 147, "10", "middle"),
    ]);
    const arrows = path(`M${left + 45} 90v30M${left + 165} 90v30`);
    const told = text(left + 105, 190, `${place}: ${admitted} of 20 calls pass`, "small middle");
    return [text(left, 22, name, "title"), ...callers, ...counts, arrows, told];
  });
  return svg(740, 205, "Where a count of ten calls lives: in each process, in shared memory, or in Redis", parts);
}

const NO_SERVER = { query: () => Promise.reject(new Error("there is no server")) };

/** Which of twenty calls pass, of twelve allowed, while the store does not answer. */
async function duringOutage(onFailure: OnFailure): Promise<readonly boolean[]> {
  const store = postgresStore({ client: NO_SERVER, onFailure, warnings: false, sweepInterval: false });
  const limiter = createLimiter({ name: "api", limits: [slidingWindow({ limit: 12, window: "1h" })], store });
  const passed: boolean[] = [];
  for (let call = 0; call < 20; call += 1) passed.push(await limiter.allow("ann"));
  await store.close();
  return passed;
}

async function outage(): Promise<string> {
  const usual = createLimiter({ limits: [slidingWindow({ limit: 12, window: "1h" })] });
  const rows = [
    ["as usual", Array.from({ length: 20 }, () => usual.allow("ann"))],
    ['onFailure: "allow"', await duringOutage("allow")],
    ['onFailure: "deny"', await duringOutage("deny")],
    ["{ fallback, share: 0.25 }", await duringOutage({ fallback: memoryStore(), share: 0.25 })],
  ] as const;
  const parts = rows.flatMap(([name, passed], row) => {
    const y = 60 + row * 36;
    const mark = (wasPassed: boolean) =>
      passed
        .flatMap((was, call) => (was === wasPassed ? [210 + call * 22] : []))
        .map((x) => (wasPassed ? `M${x} ${y}v-12h10v12z` : `M${x} ${y}l10 -12m-10 0l10 12`))
        .join("");
    const count = passed.filter((was) => was).length;
    return [text(20, y, name), path(mark(true), "good"), path(mark(false), "bad"), text(660, y, `${count} of 20`)];
  });
  const title = text(20, 26, "Twelve calls allowed, twenty made, while the store does not answer", "title");
  return svg(740, 190, "What each failure policy lets pass during an outage of the store", [title, ...parts]);
}
