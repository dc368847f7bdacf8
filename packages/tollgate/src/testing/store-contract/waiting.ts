import { fixedWindow } from "../../algorithms/limits/fixed-window.ts";
import { perMinute, tokenBucket } from "../../algorithms/limits/token-bucket.ts";
import type { Decision } from "../../core/decision.ts";
import { DeniedError } from "../../limiter/waiting/denied-error.ts";
import { type AnyLimiter, type ContractTests, combineAny, denialOf, same } from "./contract-case.ts";

const ONE_A_SECOND = [tokenBucket({ capacity: 1, refill: 1, per: "1s" })];
const TEN_A_MINUTE = [fixedWindow({ limit: 10, window: "1m", anchor: "first-use" })];
/** A store elsewhere is asked a random part of a tenth of the wait later, at most so much. */
const MOST_JITTER_MS = 100;
const MOST_TURNS = 1_000;

/** What has become of a wait. */
interface Followed {
  /** `undefined` while it waits. */
  end: "allowed" | "aborted" | (Decision & { readonly allowed: false })["reason"] | undefined;
}

/** Calls that wait for their turn, over the stores of this process and elsewhere. */
export const waiting: ContractTests = {
  "calls that wait are served in the order in which they came": async (bench) => {
    const limiter = bench.limiter(ONE_A_SECOND);
    await limiter.allow("a");
    const waits = [1, 2, 3, 4].map(() => follow(limiter.wait("a")));
    const other = follow(limiter.wait("b"));
    await until(() => other.end !== undefined);
    await ask(limiter);
    same("at first", endsOf(waits), [undefined, undefined, undefined, undefined]);
    for (let turn = 0; turn < 4; turn += 1) {
      await ask(limiter);
      bench.clock.advance(1_000 + MOST_JITTER_MS);
      await until(() => waits[turn]?.end !== undefined);
      same(
        `after turn ${turn}`,
        endsOf(waits),
        [0, 1, 2, 3].map((i) => (i <= turn ? "allowed" : undefined)),
      );
    }
    same("used", (await limiter.explain("a"))[0]?.used, 1);
  },
  "calls that wait are not overtaken, and every verb tells so": async (bench) => {
    const limiter = bench.limiter(TEN_A_MINUTE);
    const handle = limiter.handle("a");
    await limiter.allow("a", 7);
    const large = follow(limiter.wait("a", 9));
    await ask(limiter);
    const out = new Uint8Array(2);
    const denied = [await limiter.allow("a"), await handle.allow(), await limiter.allowMany(["a", "b"], out), ...out];
    same("allow, a handle and a batch", denied, [false, false, 1, 0, 1]);
    const consumed = await limiter.consume("a", 2);
    for (const [verb, decision] of [["consume", consumed] as const, ["peek", await limiter.peek("a", 2)] as const]) {
      same(verb, decision.allowed || decision.reason, "others-waiting");
      same(`${verb}: retryAfterMs`, isAbout(decision, 120_000), true);
    }
    same("a cost of nothing", await limiter.allow("a", 0), true);
    same("used", (await limiter.explain("a"))[0]?.used, 7);
    bench.clock.advance(60_000 + MOST_JITTER_MS);
    await until(() => large.end !== undefined);
    same("the wait", [large.end, (await limiter.explain("a"))[0]?.used], ["allowed", 9]);
    same("afterwards", [await limiter.allow("a"), await limiter.allow("a")], [true, false]);
  },
  "a signal that aborts ends a wait at once, wherever it is in the line, and takes nothing": async (bench) => {
    for (const place of [0, 1, 2]) {
      const key = `key-${place}`;
      const limiter = bench.limiter(ONE_A_SECOND);
      await limiter.allow(key);
      const controllers = [0, 1, 2].map(() => new AbortController());
      const waits = controllers.map(({ signal }) => follow(limiter.wait(key, 1, { signal })));
      if (place !== 1) await ask(limiter, key);
      controllers[place]?.abort("aborted");
      await until(() => waits[place]?.end !== undefined);
      for (const rest of [1, 2]) {
        await ask(limiter, key);
        bench.clock.advance(1_000 + MOST_JITTER_MS);
        await until(() => waits.filter(({ end }) => end === "allowed").length === rest);
      }
      same(`place ${place}`, endsOf(waits)[place], "aborted");
      bench.clock.advance(1_000);
      same("used", (await limiter.explain(key))[0]?.used, 0);
    }
  },
  "a wait that cannot end in time is denied at once, with the true time": async (bench) => {
    const limiter = bench.limiter(ONE_A_SECOND);
    same("at first", (await limiter.wait("a", 1, { maxWait: 0 })).allowed, true);
    const tooLate = await denialOf(limiter.wait("a", 1, { maxWait: 999 }));
    same("too late", [tooLate.reason, tooLate.retryAfterMs], ["exhausted", 1_000]);
    const tooMuch = await denialOf(limiter.wait("a", 2));
    same("too much", tooMuch.reason, "cost-over-capacity");
    const first = follow(limiter.wait("a", 1, { maxWait: 2_000 }));
    await ask(limiter);
    const second = await denialOf(limiter.wait("a", 1, { maxWait: 1_999 }));
    same("behind another", [second.reason, isAbout(second, 2_000)], ["others-waiting", true]);
    bench.clock.advance(1_000 + MOST_JITTER_MS);
    await until(() => first.end !== undefined);
    same("the first", first.end, "allowed");
  },
  "a refund, a reset and a clear serve calls that wait": async (bench) => {
    const limiter = bench.limiter([perMinute(1)]);
    const acts = [() => limiter.refund("a", 1), () => limiter.reset("a"), () => limiter.clear()];
    for (const [i, act] of acts.entries()) {
      await limiter.reset("a");
      await limiter.allow("a");
      const wait = follow(limiter.wait("a"));
      await ask(limiter);
      same(`before act ${i}`, wait.end, undefined);
      await act();
      await until(() => wait.end !== undefined);
      same(`after act ${i}`, wait.end, "allowed");
    }
  },
  "a combination waits for all its limits at one instant": async (bench) => {
    const client = bench.limiter(ONE_A_SECOND, "client");
    const all = bench.limiter(TEN_A_MINUTE, "all");
    const both = combineAny(client, all);
    await all.allow("a", 9);
    await client.allow("a");
    const waits = [follow(both.wait("a")), follow(both.wait("a"))];
    await ask(both);
    same("of the limiter that denies", await client.allow("a"), false);
    bench.clock.advance(1_000 + MOST_JITTER_MS);
    await until(() => waits[0]?.end !== undefined);
    await ask(both);
    same("after a second", endsOf(waits), ["allowed", undefined]);
    same("used", [(await client.explain("a"))[0]?.used, (await all.explain("a"))[0]?.used], [1, 10]);
    bench.clock.advance(60_000);
    await until(() => waits[1]?.end !== undefined);
    same("used later", [waits[1]?.end, (await all.explain("a"))[0]?.used], ["allowed", 1]);
  },
};

function follow(wait: Promise<Decision>): Followed {
  const followed: Followed = { end: undefined };
  void note(wait, followed);
  return followed;
}

async function note(wait: Promise<Decision>, followed: Followed): Promise<void> {
  try {
    await wait;
    followed.end = "allowed";
  } catch (error) {
    followed.end = error instanceof DeniedError ? error.decision.reason : "aborted";
  }
}

/** Whether a call is to come back at that time, or a little later: when the store is asked for those before it. */
function isAbout({ retryAfterMs }: Decision, ms: number): boolean {
  return retryAfterMs >= ms && retryAfterMs <= ms + MOST_JITTER_MS;
}

function endsOf(waits: readonly Followed[]): Followed["end"][] {
  return waits.map(({ end }) => end);
}

/** Asks the store, so that calls that came before have been answered. */
async function ask(limiter: AnyLimiter, key = "a"): Promise<void> {
  for (let time = 0; time < 3; time += 1) await limiter.explain(key);
}

/** Waits until the store has answered, or long enough. */
async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS && !isDone(); turn += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}
