import { shuffled } from "../../workloads/random.ts";

/** The keys in the order of one thread, by their indices. */
export function keyOrder(thread: number, keys: number): number[] {
  return shuffled(
    Array.from({ length: keys }, (_, index) => index),
    thread + 1,
  );
}

/** How often each key comes in so many calls, if the order is gone through again and again. */
export function timesEach(order: readonly number[], calls: number): Uint32Array {
  const times = new Uint32Array(order.length);
  const rounds = Math.floor(calls / order.length);
  const rest = calls % order.length;
  for (const [place, index] of order.entries()) times[index] = rounds + (place < rest ? 1 : 0);
  return times;
}
