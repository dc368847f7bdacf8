import { checkObject, checkOptions, optionError } from "../../core/check-options.ts";
import { checkFunction } from "../../core/checks.ts";
import { show } from "../../core/errors.ts";
import { admission } from "./admission.ts";
import { agreement } from "./agreement.ts";
import { blocking } from "./blocking.ts";
import { changes } from "./changes.ts";
import { type AnyStore, Bench, type ContractCase, type ContractTests } from "./contract-case.ts";
import { keys } from "./keys.ts";
import { places } from "./places.ts";
import { reserving } from "./reserving.ts";
import { time } from "./time.ts";
import { verbs } from "./verbs.ts";
import { waiting } from "./waiting.ts";

export interface StoreContractOptions {
  /** Makes an empty store for each case. The store has to use the time that limiters pass to it. */
  readonly createStore: () => AnyStore | Promise<AnyStore>;
  /**
   * Reasons to skip cases, by the names of the cases. `"when limits change"` skips all cases whose names begin so: a
   * store may ignore a plan's `onChange`. An unknown name throws, and so does an empty reason.
   */
  readonly skip?: Readonly<Record<string, string>>;
}

/** A moment in 2026. */
const START_MS = 1_790_000_000_123;

const TESTS: ContractTests = {
  ...admission,
  ...time,
  ...keys,
  ...verbs,
  ...agreement,
  ...blocking,
  ...changes,
  ...waiting,
  ...reserving,
  ...places,
};

/** The cases of stores that carry over what keys have used when limits change. */
const CHANGES = "when limits change";

const NAMES: Readonly<Record<keyof StoreContractOptions, true>> = { createStore: true, skip: true };

/**
 * Returns the requirements on every store as cases for any test runner. Synchronous and asynchronous stores run the
 * same cases.
 *
 * @throws TollgateError `ERR_OPTION` when an option or a name of `skip` is unknown, a reason is no text, or
 * `createStore` no function. A case rejects with it if `createStore` makes no store.
 * @example
 * ```ts
 * import { memoryStore } from "tollgate";
 * import { storeContract } from "tollgate/testing";
 *
 * const cases = storeContract({ createStore: () => memoryStore() });
 * for (const { run } of cases) await run(); // in a test runner: test(name, run), or its skip with the reason
 * console.log(cases[0]?.name); // a new key holds exactly its capacity
 * ```
 */
export function storeContract(options: StoreContractOptions): ContractCase[] {
  checkOptions("storeContract", options, NAMES);
  const { createStore, skip = {} } = options;
  checkFunction("createStore", createStore, "a function that makes a store");
  checkSkip(skip);
  return Object.entries(TESTS).map(([name, test]) => {
    const reason = skip[name] ?? (name.startsWith(CHANGES) ? skip[CHANGES] : undefined);
    const run = async () => {
      const store = await createStore();
      checkStore(store);
      try {
        await test(new Bench(store, START_MS));
      } finally {
        await store.close();
      }
    };
    return reason === undefined ? { name, run } : { name, run, skip: reason };
  });
}

function checkSkip(skip: Readonly<Record<string, unknown>>): void {
  checkObject("skip", skip, "an object of reasons, by the names of cases");
  for (const [name, reason] of Object.entries(skip)) {
    if (name !== CHANGES && !Object.hasOwn(TESTS, name)) throw optionError("skip", "names of cases", name);
    if (reason === undefined || (typeof reason === "string" && reason !== "")) continue;
    throw optionError(`skip: ${show(name)}`, "the reason as text", reason);
  }
}

/** What every case uses. The limiter checks the rest. */
function checkStore(store: unknown): void {
  if (typeof store === "object" && store !== null && "open" in store && "close" in store) {
    if (typeof store.open === "function" && typeof store.close === "function") return;
  }
  throw optionError("createStore()", "a store, which has open and close", store);
}
