/**
 * What a store keeps for a handle: a key, and where the store found it last. The key may have moved or gone meanwhile,
 * so a store checks the place before it uses it. Each store uses the fields that its places need.
 *
 * @example
 * ```ts
 * import { KeyRef } from "tollgate/store";
 *
 * const keys = ["bob", "ann"];
 * function slotOf(ref: KeyRef): number {
 *   if (keys[ref.slot] !== ref.key) ref.slot = keys.indexOf(ref.key);
 *   return ref.slot;
 * }
 *
 * const ref = new KeyRef("ann");
 * console.log(slotOf(ref), ref.slot); // 1 1
 * keys.reverse();
 * console.log(slotOf(ref)); // 0
 * ```
 */
export class KeyRef {
  readonly key: string;
  /** What identifies the table that hashed the key: each table makes other hashes. */
  table: object | undefined = undefined;
  /** The key's hash. */
  low = 0;
  high = 0;
  /** The slot where the key was; below 0 if it is not known. */
  slot = -1;
  /** The very string that the table keeps: comparing a string with itself takes no look at its text. */
  text = "";

  constructor(key: string) {
    this.key = key;
  }
}
