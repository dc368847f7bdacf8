import type { Limiter } from "tollgate";
import { CHUNK } from "../../workloads/chunk.ts";
import { KeyPool } from "../../workloads/key-pool.ts";
import type { Decide } from "../measure/decide-in-window.ts";
import type { SharedVariant } from "../row.ts";
import { MANY_KEYS } from "../units.ts";
import { keyOrder } from "./key-order.ts";

export function keysOf(form: SharedVariant["form"]): number {
  return form === "strings" ? MANY_KEYS : 1;
}

/** What a thread asks again and again; keys are made here, before anything is measured. */
export function deciderOf(form: SharedVariant["form"], limiter: Limiter, thread: number): Decide {
  const pool = new KeyPool(keysOf(form));
  switch (form) {
    case "handle":
      return aboutHandle(limiter, pool.key(0));
    case "string":
      // As many strings of the same text as the other tables have in a chunk: no string is the one before.
      return aboutStrings(
        limiter,
        Array.from({ length: CHUNK }, () => pool.key(0)),
      );
    case "strings":
      return aboutStrings(
        limiter,
        keyOrder(thread, MANY_KEYS).map((index) => pool.key(index)),
      );
    default:
      return form satisfies never;
  }
}

function aboutHandle(limiter: Limiter, key: string): Decide {
  const handle = limiter.handle(key);
  return (calls) => {
    let admitted = 0;
    for (let i = 0; i < calls; i += 1) if (handle.allow()) admitted += 1;
    return admitted;
  };
}

/** Round and round. */
function aboutStrings(limiter: Limiter, strings: readonly string[]): Decide {
  const { length } = strings;
  let next = 0;
  return (calls) => {
    let admitted = 0;
    let place = next;
    for (let i = 0; i < calls; i += 1) {
      if (limiter.allow(strings[place]!)) admitted += 1;
      place = place + 1 === length ? 0 : place + 1;
    }
    next = place;
    return admitted;
  };
}
