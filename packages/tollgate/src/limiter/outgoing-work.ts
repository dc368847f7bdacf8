import { checkOptions, optionError } from "../core/check-options.ts";
import { checkFunction } from "../core/checks.ts";
import type { Cost } from "../core/cost.ts";
import type { AcquireOptions, AsyncReservation } from "./reservation.ts";
import type { WaitOptions } from "./wait-options.ts";

/** How work that waits for its turn is counted. */
export interface WorkOptions<Input, Args extends readonly unknown[]> extends WaitOptions {
  /** The limiter's input: one for all, or a function of what the work is called with. */
  readonly input: Input | ((...args: Args) => Input);
  /** What it costs, by default 1 or what a limits file says: a cost, or a function of what the work is called with. */
  readonly cost?: Cost | ((...args: Args) => Cost) | undefined;
}

/** How one piece of work is counted that waits for its turn. */
export interface RunOptions extends WaitOptions {
  /** What it costs: 1, or what a limits file says, unless set. */
  readonly cost?: Cost | undefined;
}

const RUN_NAMES = { cost: true, signal: true, maxWait: true } as const;
const NAMES = { input: true, ...RUN_NAMES } as const;

/** Waits for a turn. What it resolves with ends the turn, and frees its place. */
type Turn<Args extends readonly unknown[]> = (...args: Args) => Promise<() => Promise<void>>;

/** The verbs for work that goes out: it waits for its turn, and is not denied unless it has to be. */
export abstract class OutgoingWork<Input> {
  /** What a call costs for which the caller states no cost; `undefined` if the limiter finds it for each call. */
  readonly defaultCost: Cost | undefined = 1;

  abstract acquire(input: Input, cost?: Cost, options?: AcquireOptions): Promise<AsyncReservation>;

  async run<Result>(input: Input, work: () => Result | PromiseLike<Result>, options: RunOptions = {}): Promise<Result> {
    checkFunction("run", work, "a function that does the work");
    checkOptions("run", options, RUN_NAMES);
    const settle = await this.#turns<[]>("run", { ...options, input: () => input })();
    try {
      return await work();
    } finally {
      await settle();
    }
  }

  wrap<This, Args extends readonly unknown[], Result>(
    work: (this: This, ...args: Args) => Result | PromiseLike<Result>,
    options: WorkOptions<Input, Args>,
  ): (this: This, ...args: Args) => Promise<Result> {
    checkFunction("wrap", work, "a function that does the work");
    const turn = this.#turns("wrap", options);
    return async function (this: This, ...args: Args) {
      const settle = await turn(...args);
      try {
        return await work.apply(this, [...args] as unknown as Args & unknown[]);
      } finally {
        await settle();
      }
    };
  }

  pace<Item>(
    items: AsyncIterable<Item> | Iterable<Item>,
    options: WorkOptions<Input, [item: Item]>,
  ): AsyncGenerator<Item, void, void> {
    checkIterable(items);
    const turn = this.#turns("pace", options);
    return paced(items, turn);
  }

  /** Checks the options, and returns what waits for a turn, and then says how the work ends. */
  #turns<Args extends readonly unknown[]>(verb: string, options: WorkOptions<Input, Args>): Turn<Args> {
    checkOptions(verb, options, NAMES);
    const { input: given, cost = this.defaultCost, signal, maxWait } = options;
    if (given === undefined)
      throw optionError("input", "an input of the limiter, or a function that returns one", given);
    const waitOptions = { signal, maxWait };
    return async (...args) => {
      const input = typeof given === "function" ? (given as (...args: Args) => Input)(...args) : given;
      const own = typeof cost === "function" ? cost(...args) : cost;
      const reservation = await this.acquire(input, own, waitOptions);
      // What was taken stays taken. If its place cannot be freed now, it expires.
      return () => reservation.settle().catch(() => {});
    };
  }
}

async function* paced<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  turn: Turn<[item: Item]>,
): AsyncGenerator<Item, void, void> {
  for await (const item of items) {
    const settle = await turn(item);
    try {
      yield item;
    } finally {
      await settle();
    }
  }
}

function checkIterable(items: unknown): void {
  const isIterable =
    typeof items === "string" ||
    (typeof items === "object" && items !== null && (Symbol.asyncIterator in items || Symbol.iterator in items));
  if (!isIterable) throw optionError("pace", "an iterable or async iterable", items);
}
