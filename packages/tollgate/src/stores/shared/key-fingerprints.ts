import type { Plan } from "../../core/plan.ts";
import { KeyHash } from "../local/key-hash.ts";

/** How many buckets the keys of one plan share when there is no room for more. */
const OVERFLOW_BUCKETS = 256;

/**
 * How a plan's keys are known in memory: by a hash of 64 bits under a secret that follows from the store's and from the plan. The same key
 * has nothing in common with itself under another plan, and all threads hash alike.
 */
export class KeyPrints {
  /** Of the key at hand. */
  low = 0;
  high = 0;
  /** Names the plan. */
  readonly planLow: number;
  readonly planHigh: number;
  readonly #keys: KeyHash;
  readonly #buckets: KeyHash;

  constructor(storeSecret: Int32Array, { scope, id }: Plan) {
    const hash = new KeyHash(storeSecret);
    const text = `${String(scope)}\n${id}`;
    const derive = (purpose: string) => {
      hash.hash(`${purpose}\n${text}`);
      return hash.words.slice();
    };
    const secret = (purpose: string) => Int32Array.from([...derive(`${purpose} 0`), ...derive(`${purpose} 1`)]);
    this.#keys = new KeyHash(secret("keys"));
    this.#buckets = new KeyHash(secret("overflow buckets"));
    const plan = derive("plan");
    this.planLow = plan[0]!;
    this.planHigh = plan[1]!;
  }

  ofKey(key: string): void {
    this.#note(this.#keys, key);
  }

  /** Of the bucket that a key shares with others. */
  ofBucket(key: string): void {
    this.#buckets.hash(key);
    this.#note(this.#buckets, `bucket ${this.#buckets.words[0]! & (OVERFLOW_BUCKETS - 1)}`);
  }

  #note(hash: KeyHash, text: string): void {
    hash.hash(text);
    this.low = hash.words[0]!;
    this.high = hash.words[1]!;
  }
}
