import { show, TollgateError } from "../../core/errors.ts";
import { encodeKey, type Key } from "../../core/key.ts";
import type { Limit } from "../../core/limits/limit.ts";
import type { Owner } from "./owner.ts";
import { Route } from "./route.ts";
import type { Selected } from "./selected.ts";
import type { Space } from "./space.ts";

/** Which keys and spaces an input concerns. */
export interface Selection<Input> {
  /** Itself, if its limits are fixed and nothing is looked up: then it has one space. */
  readonly fixed: FixedSelection<Input> | undefined;
  /** The owners of all limiters that it may choose. Those of a domain change with its rules. */
  readonly owners: readonly Owner[];
  /** Adds keys and their ways. A promise comes only from look-ups. Throws `ERR_KEY` and `ERR_LIMITS`. */
  select(input: Input, into: Selected): void | Promise<void>;
  /** Works like `select`, for a key that is known already. `limits` are those of the key if a function chooses them. */
  selectKey(key: Key, limits: readonly Limit[] | undefined, into: Selected): void;
  /** The key of a limiter among several, as stores have it, for a domain. Nothing if no call has used the limiter. */
  selectKeyOf?(limiter: string, encoded: string, into: Selected): void;
  /** The spaces that are open, each set of cells once. */
  spaces(): readonly Space[];
  /** Releases all spaces. */
  release(): void;
}

/** Fixed limits: one plan, one space. */
export class FixedSelection<Input> implements Selection<Input> {
  readonly fixed: this = this;
  readonly owners: readonly Owner[];
  /** The key as it was given: callers encode it. */
  readonly key: (input: Input) => Key;
  readonly space: Space;
  readonly route: Route;

  constructor(key: (input: Input) => Key, space: Space, owner: Owner) {
    this.key = key;
    this.space = space;
    this.owners = [owner];
    this.route = new Route([space], [0], this.owners, "refused");
  }

  select(input: Input, into: Selected): void {
    into.add(encodeKey(this.key(input)), this.route, undefined);
  }

  selectKey(key: Key, limits: readonly Limit[] | undefined, into: Selected): void {
    if (limits === undefined) {
      into.add(encodeKey(key), this.route, undefined);
      return;
    }
    throw new TollgateError(
      "ERR_OPTION",
      `byKey: expected a key alone, because the limits are fixed, got ${show(limits)} too`,
    );
  }

  spaces(): readonly Space[] {
    return this.route.spaces;
  }

  release(): void {
    this.space.release();
  }
}
