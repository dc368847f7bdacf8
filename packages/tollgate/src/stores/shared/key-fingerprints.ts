import type { Plan } from "../../core/plan.ts";
import { KeyHash } from "../local/key-hash.ts";
import { OVERFLOW_BUCKETS } from "../local/overflow.ts";

/**
 * Hashes a plan's keys to 64 bits, under a secret derived from the store's secret and the plan's scope. The hash of a
 * key under a plan is the key's hash xor the plan's. So a thread that has the hash of a key under one plan has it
 * under every plan of the scope. All threads get the same hashes.
 */
export class KeyFingerprints {
  /** The latest hash. */
  low = 0;
  high = 0;
  /** The hash that names the plan. */
  readonly planLow: number;
  readonly planHigh: number;
  /** Hashes a name within the scope. */
  readonly hashName: (name: string) => number;
  readonly #keys: KeyHash;
  readonly #buckets: KeyHash;

  constructor(storeSecret: Int32Array, { scope, id }: Pick<Plan, "scope" | "id">) {
    const hash = new KeyHash(storeSecret);
    const derive = (purpose: string, of = "") => {
      hash.hash(`${purpose}\n${String(scope)}${of}`);
      return hash.words.slice();
    };
    const secret = (purpose: string) => Int32Array.from([...derive(`${purpose} 0`), ...derive(`${purpose} 1`)]);
    this.#keys = new KeyHash(secret("keys"));
    this.#buckets = new KeyHash(secret("overflow buckets"));
    this.hashName = (name) => derive("name", `\n${name}`)[0]!;
    const plan = derive("plan", `\n${id}`);
    this.planLow = plan[0]!;
    this.planHigh = plan[1]!;
  }

  /** Hashes a key. */
  hashKey(key: string): void {
    this.#hash(this.#keys, key);
  }

  /** Hashes the name of the overflow bucket that a key shares with others. */
  hashBucket(key: string): void {
    this.#buckets.hash(key);
    this.#hash(this.#buckets, `bucket ${this.#buckets.words[0]! & (OVERFLOW_BUCKETS - 1)}`);
  }

  #hash(hash: KeyHash, text: string): void {
    hash.hash(text);
    this.low = hash.words[0]! ^ this.planLow;
    this.high = hash.words[1]! ^ this.planHigh;
  }
}
