import type { Scope } from "../../../core/plan.ts";
import { ownCopy } from "../../../core/text-memory.ts";
import type { RedisSpace } from "../../redis/redis-space.ts";
import { MOST_KEYS } from "../space-on-server.ts";
import { LocalKeys } from "./local-keys.ts";

/** What the spaces of one store share: keys of limiters with equal limits, and keys that are blocked. */
export class ThresholdNode {
  readonly #keys = new Map<string, LocalKeys>();
  readonly #blocked = new Map<Scope, BlockedKeys>();

  /** The keys of a space, until it calls `release`. */
  open({ plan, keysOf }: RedisSpace): { readonly keys: LocalKeys; readonly release: () => void } {
    const id = JSON.stringify([keysOf, plan.onChange, plan.id]);
    const keys = this.#keys.get(id) ?? new LocalKeys();
    this.#keys.set(id, keys);
    keys.users += 1;
    const release = (): void => {
      keys.users -= 1;
      if (keys.users === 0) this.#keys.delete(id);
    };
    return { keys, release };
  }

  blockedIn(scope: Scope): BlockedKeys {
    const known = this.#blocked.get(scope) ?? new BlockedKeys();
    this.#blocked.set(scope, known);
    return known;
  }
}

/** Keys of a limiter that may be blocked: calls ask the server, until it says that they are not. */
export class BlockedKeys {
  readonly #keys = new Set<string>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    if (this.#keys.size >= MOST_KEYS) for (const oldest of this.#keys) return void this.#keys.delete(oldest);
    this.#keys.add(ownCopy(key));
  }

  delete(key: string): void {
    this.#keys.delete(key);
  }
}
