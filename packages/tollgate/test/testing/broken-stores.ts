import { type Plan, Report, type SyncStore } from "tollgate/store";
import { withFlaw, withPlans } from "./flawed-store.ts";

/** A store with one planted flaw, and the case of the contract that has to reject it. */
export interface BrokenStore {
  readonly flaw: string;
  readonly createStore: () => SyncStore;
  readonly rejectedBy: string;
}

export const BROKEN_STORES: readonly BrokenStore[] = [
  {
    flaw: "charges on denial",
    rejectedBy: "random traces agree with the memory store in every figure",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        const admitted = inner.apply(verb, key, costs, now, report, at);
        if (verb === "take" && !admitted) inner.apply("charge", key, costs, now, report, at);
        return admitted;
      },
    }),
  },
  {
    flaw: "charges the first of two limits when the second denies",
    rejectedBy: "several limits take all or nothing",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        const admitted = inner.apply(verb, key, costs, now, report, at);
        if (verb !== "take" || admitted || costs.length < 2) return admitted;
        if (report.conforms[at]) inner.apply("charge", key, firstOnly(costs), now, report, at);
        return admitted;
      },
    }),
  },
  {
    flaw: "starts new keys empty",
    rejectedBy: "a new key holds exactly its capacity",
    createStore: withFlaw({
      apply: (inner) => {
        const seen = new Set<string>();
        return (verb, key, costs, now, report, at) => {
          const isNew = !seen.has(key) && verb === "take";
          if (isNew) inner.apply("charge", key, capacities(inner.plan), now, report, at);
          seen.add(key);
          return inner.apply(verb, key, costs, now, report, at);
        };
      },
    }),
  },
  {
    flaw: "rounds time down to milliseconds",
    rejectedBy: "a denial names the first time at which the call passes",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) =>
        inner.apply(verb, key, costs, Float64Array.of(Math.floor(now[0]! / 1_000) * 1_000), report, at),
    }),
  },
  {
    flaw: "ignores cost",
    rejectedBy: "random traces agree with the memory store in every figure",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) =>
        inner.apply(
          verb,
          key,
          costs.map((cost) => Math.min(cost, 1)),
          now,
          report,
          at,
        ),
    }),
  },
  {
    flaw: "consumes when it peeks",
    rejectedBy: "random traces agree with the memory store in every figure",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) =>
        inner.apply(verb === "peek" ? "take" : verb, key, costs, now, report, at),
    }),
  },
  {
    flaw: "admits one unit too many after an idle time",
    rejectedBy: "a key is exactly full after ten idle years",
    createStore: withFlaw({
      apply: (inner) => {
        const lastUs = new Map<string, number>();
        return (verb, key, costs, now, report, at) => {
          const idleUs = now[0]! - (lastUs.get(key) ?? now[0]!);
          lastUs.set(key, now[0]!);
          const admitted = inner.apply(verb, key, costs, now, report, at);
          if (idleUs > 3_600_000_000)
            inner.apply(
              "refund",
              key,
              costs.map(() => 1),
              now,
              report,
              at,
            );
          return admitted;
        };
      },
    }),
  },
  {
    flaw: "reports the retry time of the wrong limit",
    rejectedBy: "random traces agree with the memory store in every figure",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        const admitted = inner.apply(verb, key, costs, now, report, at);
        const shortest = Math.min(...report.waitUs.slice(at, at + costs.length));
        for (let i = 0; i < costs.length; i += 1) report.waitUs[at + i] = shortest;
        return admitted;
      },
    }),
  },
  {
    flaw: "compares only the first characters of keys",
    rejectedBy: "every key has a count of its own",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) =>
        inner.apply(verb, key.slice(0, 1), costs, now, report, at),
    }),
  },
  {
    flaw: "loses a key with history when it sweeps",
    rejectedBy: "a sweep drops the idle keys, and no other",
    createStore: withFlaw({
      sweep: (inner, touched) => (nowUs) => {
        const before = inner.size;
        inner.sweep(nowUs);
        for (const key of touched) inner.drop(key);
        return before - inner.size;
      },
    }),
  },
  {
    flaw: "evicts a limited key when many others come",
    rejectedBy: "every key has a count of its own",
    createStore: withFlaw({
      apply: (inner) => {
        const recent: string[] = [];
        return (verb, key, costs, now, report, at) => {
          if (!recent.includes(key)) recent.push(key);
          if (recent.length > 100) inner.drop(recent.shift() ?? key);
          return inner.apply(verb, key, costs, now, report, at);
        };
      },
    }),
  },
  {
    flaw: "admits units twice when the clock goes back",
    rejectedBy: "a clock that goes back refills nothing and makes no wait longer",
    createStore: withFlaw({
      apply: (inner) => {
        let lastUs = 0;
        return (verb, key, costs, now, report, at) => {
          if (now[0]! < lastUs) inner.drop(key);
          lastUs = now[0]!;
          return inner.apply(verb, key, costs, now, report, at);
        };
      },
    }),
  },
  {
    flaw: "denies a cost that conforms exactly",
    rejectedBy: "a new key holds exactly its capacity",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        const peeked = inner.apply(
          "explain",
          key,
          costs.map((cost) => cost + 1),
          now,
          report,
          at,
        );
        if (verb !== "take" || peeked) return inner.apply(verb, key, costs, now, report, at);
        return false;
      },
    }),
  },
  {
    flaw: "does not forget a key that is reset",
    rejectedBy: "reset forgets one key",
    createStore: withFlaw({ drop: () => () => {} }),
  },
  {
    flaw: "lets a shadow limit deny",
    rejectedBy: "a shadow limit never denies, and takes only what conforms",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        inner.apply("explain", key, costs, now, report, at);
        const allConform = report.conforms.slice(at, at + costs.length).every(Boolean);
        if (verb === "take" && !allConform) return false;
        return inner.apply(verb, key, costs, now, report, at);
      },
    }),
  },
  {
    flaw: "refunds more than was taken",
    rejectedBy: "random traces agree with the memory store in every figure",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        const more = verb === "refund" ? costs.map((cost) => cost + 1) : costs;
        return inner.apply(verb, key, more, now, report, at);
      },
    }),
  },
  {
    flaw: "counts calls by a handle under another key",
    rejectedBy: "a handle decides as calls by its key do",
    createStore: withFlaw({
      allowRef:
        (inner) =>
        ({ key }, cost, now) =>
          inner.allow(`${key} by handle`, cost, now),
    }),
  },
  {
    flaw: "begins new counts when the numbers of a limit change",
    rejectedBy: "when limits change, a larger one gives the difference at once, and a smaller one waits for it",
    createStore: withPlans((plan) => ({ ...plan, onChange: "separate" })),
  },
  {
    flaw: "carries over where the first numbers are to hold",
    rejectedBy: "when limits change, first numbers hold until the key is idle or reset",
    createStore: withPlans((plan) => ({ ...plan, onChange: "carry-over" })),
  },
  {
    flaw: "carries over what is to stay separate",
    rejectedBy: "when limits change, separate limits, derived names and other units begin anew",
    createStore: withPlans((plan) => ({ ...plan, onChange: "carry-over" })),
  },
  {
    flaw: "moves a key when it peeks",
    rejectedBy: "when limits change, a peek moves nothing and agrees with the call after it",
    createStore: withFlaw({
      apply: (inner) => (verb, key, costs, now, report, at) => {
        const nothing = costs.map(() => 0);
        if (verb === "peek") inner.apply("charge", key, nothing, now, new Report(), 0);
        return inner.apply(verb, key, costs, now, report, at);
      },
    }),
  },
];

function capacities(plan: Plan): number[] {
  return plan.limits.map(({ capacity }) => capacity);
}

function firstOnly(costs: readonly number[]): number[] {
  return costs.map((cost, index) => (index === 0 ? cost : 0));
}
