import { memoryStore } from "tollgate";
import { KeyRef, type LimiterContext, type Plan, Report, type SyncSpace, type SyncStore } from "tollgate/store";

type Apply = SyncSpace["apply"];

/** The methods of a space that a flaw may replace. */
interface Flaw {
  apply?(inner: SyncSpace): Apply;
  allowRef?(inner: SyncSpace): NonNullable<SyncSpace["allowRef"]>;
  drop?(inner: SyncSpace): SyncSpace["drop"];
  sweep?(inner: SyncSpace, touched: ReadonlySet<string>): SyncSpace["sweep"];
}

/** Memory stores that misread plans. */
export function withPlans(misread: (plan: Plan) => Plan): () => SyncStore {
  return () => {
    const store = memoryStore();
    const open = (plan: Plan, context: LimiterContext) => store.open(misread(plan), context);
    return { kind: "sync", open, close: () => store.close() };
  };
}

/** Memory stores with a flaw. */
export function withFlaw(flaw: Flaw): () => SyncStore {
  return () => {
    const store = memoryStore();
    return {
      kind: "sync",
      open: (plan: Plan, context: LimiterContext) => flawedSpace(store.open(plan, context), flaw),
      close: () => store.close(),
    };
  };
}

function flawedSpace(inner: SyncSpace, flaw: Flaw): SyncSpace {
  const touched = new Set<string>();
  const flawedApply: Apply = flaw.apply?.(inner) ?? inner.apply.bind(inner);
  const apply: Apply = (verb, key, costs, now, report, at) => {
    touched.add(key);
    return flawedApply(verb, key, costs, now, report, at);
  };
  return {
    plan: inner.plan,
    get size() {
      return inner.size;
    },
    allow: (key, cost, now) => apply("take", key, costsOfNumber(inner.plan, cost), now, new Report(), 0),
    apply,
    ...(flaw.allowRef === undefined
      ? {}
      : { keyRef: (key: string) => new KeyRef(key), allowRef: flaw.allowRef(inner) }),
    drop: flaw.drop?.(inner) ?? ((key) => inner.drop(key)),
    clear: () => inner.clear(),
    sweep: flaw.sweep?.(inner, touched) ?? ((now) => inner.sweep(now)),
    maintain: () => inner.maintain(),
    release: () => inner.release(),
  };
}

/** A plain cost for each limit that counts plain numbers. */
function costsOfNumber(plan: Plan, cost: number): number[] {
  return plan.countsNumber.map((counts) => (counts ? cost : 0));
}
