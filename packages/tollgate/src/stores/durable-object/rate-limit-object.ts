import type { OwnerAnswer, OwnerRequest } from "../owned/messages.ts";
import { LimitsObject } from "./limits-object.ts";
import type { LimitsObjectState } from "./object-types.ts";

/** The methods that an object has for `durableObjectStore`. */
export interface RateLimitObject {
  /** Decides the calls of a store. Only stores of this package know their form. */
  decideLimits(request: OwnerRequest): OwnerAnswer;
  /** Deletes what is idle. */
  alarm(): Promise<void>;
}

type ObjectClass = abstract new (state: never, env: never) => object;

/**
 * Makes the class of the objects that count for `durableObjectStore`, from the `DurableObject` of `cloudflare:workers`.
 * The class needs storage with SQLite: `new_sqlite_classes` in the migrations of the Worker's configuration. It has the
 * object's only alarm: a class of yours that overrides `alarm` has to call `super.alarm()`.
 *
 * @example
 * ```js
 * import { DurableObject } from "cloudflare:workers";
 * import { rateLimitObject } from "tollgate/durable-object";
 *
 * export class Limits extends rateLimitObject(DurableObject) {}
 * ```
 */
export function rateLimitObject<Base extends ObjectClass>(
  base: Base,
): new (
  ...parameters: ConstructorParameters<Base>
) => InstanceType<Base> & RateLimitObject {
  const Parent = base as unknown as new (state: LimitsObjectState, env: unknown) => object;
  class Limits extends Parent implements RateLimitObject {
    readonly #limits: LimitsObject;

    constructor(state: LimitsObjectState, env: unknown) {
      super(state, env);
      this.#limits = new LimitsObject(state);
    }

    decideLimits(request: OwnerRequest): OwnerAnswer {
      return this.#limits.answer(request);
    }

    alarm(): Promise<void> {
      return this.#limits.sweep();
    }
  }
  return Limits as never;
}
