import { optionError } from "../../core/check-options.ts";
import { TollgateError } from "../../core/errors.ts";
import { KeyHash, SECRET_WORDS } from "../local/key-hash.ts";
import { tagOf } from "../redis/space-keys.ts";

/** Which object counts a key: one of so many, one of its own, or the one that a function names. */
export type Shards = number | "key" | ((key: string) => string);

const MOST_SHARDS = 65_536;

/** Finds the names of the objects that count keys. */
export class Sharding {
  readonly nameOf: (key: string) => string;
  readonly #shards: Shards;

  /** @throws TollgateError `ERR_OPTION`. */
  constructor(shards: Shards) {
    this.#shards = shards;
    if (typeof shards === "function") this.nameOf = (key) => `named ${shards(key)}`;
    else if (shards === "key") this.nameOf = (key) => `key ${tagOf(key)}`;
    else if (Number.isInteger(shards) && shards >= 1 && shards <= MOST_SHARDS) {
      // All isolates have to find the same object, so the hash has no secret.
      const hash = new KeyHash(new Int32Array(SECRET_WORDS));
      this.nameOf = (key) => {
        hash.hash(key);
        return shardName((hash.words[0]! >>> 0) % shards, shards);
      };
    } else throw optionError("shards", `a whole number from 1 to ${MOST_SHARDS}, "key" or a function`, shards);
  }

  /** The names of all objects, for a call on all keys. @throws TollgateError `ERR_STORE` if their number is unknown. */
  allNames(what: string): readonly string[] {
    const shards = this.#shards;
    if (typeof shards === "number") return Array.from({ length: shards }, (_, i) => shardName(i, shards));
    const message = `${what}: expected a number of shards, because the objects of single keys are unknown`;
    throw new TollgateError("ERR_STORE", message);
  }
}

function shardName(shard: number, shards: number): string {
  return `shard ${shard} of ${shards}`;
}
