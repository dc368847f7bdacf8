import { checkOptions, optionError } from "../core/check-options.ts";
import { checkFunction } from "../core/checks.ts";
import type { Cost } from "../core/cost.ts";
import type { AcquireOptions, AsyncReservation } from "./reserving/reservation.ts";
import { checkWaitOptions, type RunOptions, type WaitOptions } from "./waiting/wait-options.ts";

/** How work that waits for its turn is counted. */
export interface WorkOptions<Input, Args extends readonly unknown[]> extends WaitOptions {
  /** The limiter's input: one for all, or a function of what the work is called with. */
  readonly input: Input | ((...args: Args) => Input);
  /** What it costs, by default 1 or what a limits file says: a cost, or a function of what the work is called with. */
  readonly cost?: Cost | ((...args: Args) => Cost) | undefined;
}

const NAMES = { input: true, cost: true, signal: true, maxWait: true } as const;
const HINTS = { key: 'it is called "input" here' };

/** What work needs of a limiter. */
interface Turns<Input> {
  run<Result>(input: Input, work: () => Result | PromiseLike<Result>, options: RunOptions): Promise<Result>;
  acquire(input: Input, cost: Cost | undefined, options: AcquireOptions): Promise<AsyncReservation>;
}

/** A function that waits for a turn before each call of `work`. */
export function wrapWork<Input, This, Args extends readonly unknown[], Result>(
  limiter: Turns<Input>,
  work: (this: This, ...args: Args) => Result | PromiseLike<Result>,
  options: WorkOptions<Input, Args>,
): (this: This, ...args: Args) => Promise<Result> {
  checkFunction("wrap", work, "a function that does the work");
  const callOf = readOptions("wrap", options);
  return async function (this: This, ...args: Args) {
    const { input, cost, wait } = callOf(...args);
    return limiter.run(input, () => work.apply(this, [...args] as unknown as Args & unknown[]), { cost, ...wait });
  };
}

/** The items of an iterable, each when it is its turn. */
export function paceItems<Input, Item>(
  limiter: Turns<Input>,
  items: AsyncIterable<Item> | Iterable<Item>,
  options: WorkOptions<Input, [item: Item]>,
): AsyncGenerator<Item, void, void> {
  checkIterable(items);
  return paced(limiter, items, readOptions("pace", options));
}

/** Finds the input and the cost of a call of work. */
type CallOf<Input, Args extends readonly unknown[]> = (...args: Args) => {
  readonly input: Input;
  readonly cost: Cost | undefined;
  readonly wait: WaitOptions;
};

function readOptions<Input, Args extends readonly unknown[]>(
  verb: string,
  options: WorkOptions<Input, Args>,
): CallOf<Input, Args> {
  checkOptions(verb, options, NAMES, HINTS);
  const { input, cost, signal, maxWait } = options;
  if (input === undefined) throw optionError("input", "an input of the limiter, or a function that returns one", input);
  const wait = { signal, maxWait };
  checkWaitOptions(verb, wait);
  return (...args) => ({
    input: typeof input === "function" ? (input as (...args: Args) => Input)(...args) : input,
    cost: typeof cost === "function" ? cost(...args) : cost,
    wait,
  });
}

async function* paced<Input, Item>(
  limiter: Turns<Input>,
  items: AsyncIterable<Item> | Iterable<Item>,
  callOf: CallOf<Input, [item: Item]>,
): AsyncGenerator<Item, void, void> {
  for await (const item of items) {
    const { input, cost, wait } = callOf(item);
    const reservation = await limiter.acquire(input, cost, wait);
    try {
      yield item;
    } finally {
      // What was taken stays taken. If its place cannot be freed now, it frees itself.
      await reservation.settle().catch(() => {});
    }
  }
}

function checkIterable(items: unknown): void {
  const isIterable =
    typeof items === "string" ||
    (typeof items === "object" && items !== null && (Symbol.asyncIterator in items || Symbol.iterator in items));
  if (!isIterable) throw optionError("pace", "an iterable or async iterable", items);
}
