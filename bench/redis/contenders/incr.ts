import { type Contender, never, type Setup } from "./contender.ts";

/** A count that nothing expires: the least that a limiter on a server could ask. */
export function create({ client, limit }: Setup): Contender {
  return {
    ask: (key) => client.incr(key),
    admits: (count) => (count as number) <= limit,
    isDenial: never,
  };
}
