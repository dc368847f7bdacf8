import { concurrency } from "../../algorithms/limits/concurrency.ts";
import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import type { AsyncReservation } from "../../limiter/reserving/reservation.ts";
import { DeniedError } from "../../limiter/waiting/denied-error.ts";
import { type AnyLimiter, type ContractTests, denialOf, same } from "./contract-case.ts";

const ONE = [concurrency({ max: 1, ttl: "1h" })];
const MOST_TURNS = 1_000;
const MOST_ASKS = 20;

/** What has become of a call of `acquire`. */
interface Followed {
  reservation: AsyncReservation | undefined;
  error: unknown;
}

/** Calls that wait for a place, and hold it. */
export const acquiring: ContractTests = {
  "places are handed on in the order in which calls came": async (bench) => {
    const limiter = bench.limiter(ONE);
    const calls = [0, 1, 2].map(() => follow(limiter.acquire("a")));
    await until(() => calls[0]?.reservation !== undefined);
    await ask(limiter);
    for (const turn of [0, 1]) {
      const later = calls.slice(turn + 1).map(({ reservation }) => reservation?.decision.allowed);
      same(
        `turn ${turn}`,
        later,
        later.map(() => undefined),
      );
      same("not overtaken", (await limiter.reserve("a")).decision.allowed, false);
      await calls[turn]?.reservation?.cancel();
      await until(() => calls[turn + 1]?.reservation !== undefined);
      same("handed on", calls[turn + 1]?.reservation?.decision.allowed, true);
    }
    await calls[2]?.reservation?.settle(1);
    same("all are free", (await limiter.explain("a"))[0]?.used, 0);
  },
  "a call waits for a place no longer than it may": async (bench) => {
    const limiter = bench.limiter(ONE);
    const held = await limiter.reserve("a");
    const patient = follow(limiter.acquire("a"));
    await ask(limiter);
    const hurried = follow(limiter.acquire("a", 1, { maxWait: "10s" }));
    await ask(limiter);
    same(
      "both wait",
      [patient, hurried].map(({ reservation }) => reservation === undefined),
      [true, true],
    );
    for (let second = 0; second < 11; second += 1) {
      bench.clock.advance(1_000);
      await ask(limiter);
    }
    await until(() => hurried.error !== undefined);
    same("denied in the end", hurried.error instanceof DeniedError, true);
    same("the other waits on", patient.reservation, undefined);
    await held.cancel();
    await until(() => patient.reservation !== undefined);
    same("served", patient.reservation?.decision.allowed, true);
    await denialOf(limiter.acquire("a", 1, { maxWait: 0 }));
    same("not at all", (await limiter.explain("a"))[0]?.used, 1);
  },
  "a place is freed by the limiter of another process, and found": async (bench) => {
    const [one, other] = [bench.limiter(ONE), bench.limiter(ONE)];
    const held = await one.reserve("a");
    const call = follow(other.acquire("a"));
    await ask(other);
    await held.cancel();
    for (let turn = 0; turn < 3; turn += 1) {
      bench.clock.advance(1_100);
      await ask(other);
    }
    await until(() => call.reservation !== undefined);
    same("found", call.reservation?.decision.allowed, true);
  },
  "a call that is aborted takes no place": async (bench) => {
    const limiter = bench.limiter(ONE);
    const held = await limiter.reserve("a");
    const controller = new AbortController();
    const call = follow(limiter.acquire("a", 1, { signal: controller.signal }));
    await ask(limiter);
    controller.abort("aborted");
    await until(() => call.error !== undefined);
    await held.cancel();
    same("aborted", [call.error, (await limiter.explain("a"))[0]?.used], ["aborted", 0]);
  },
  "work that is wrapped holds its place until it is over": async (bench) => {
    const limiter = bench.limiter([
      concurrency({ max: 2, ttl: "1h" }),
      fixedWindow({ limit: 4, window: "1h", unit: "calls", anchor: "first-use" }),
    ]);
    let [running, most] = [0, 0];
    const isAlone = (): boolean => most < 2;
    const work = limiter.wrap(
      async () => {
        running += 1;
        most = Math.max(most, running);
        // The next one is asked for when this one was served.
        for (let turn = 0; turn < MOST_ASKS && isAlone(); turn += 1) await ask(limiter);
        running -= 1;
      },
      { input: "a", maxWait: "1m" },
    );
    const ends = await Promise.allSettled(Array.from({ length: 5 }, work));
    same("two at a time", [most, running], [2, 0]);
    same("one too many", ends.map(({ status }) => status).filter((status) => status === "rejected").length, 1);
    same(
      "used",
      (await limiter.explain("a")).map(({ used }) => used),
      [0, 4],
    );
  },
};

function follow(acquired: Promise<AsyncReservation>): Followed {
  const followed: Followed = { reservation: undefined, error: undefined };
  void note(acquired, followed);
  return followed;
}

async function note(acquired: Promise<AsyncReservation>, followed: Followed): Promise<void> {
  try {
    followed.reservation = await acquired;
  } catch (error) {
    followed.error = error;
  }
}

/** Asks the store once, so that what was asked before has been answered. */
async function ask(limiter: AnyLimiter): Promise<void> {
  await limiter.explain("a");
}

/** Lets timers and answers come until something has happened. */
async function until(hasHappened: () => boolean): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS && !hasHappened(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(turn, 5)));
  }
  same("has happened", hasHappened(), true);
}
