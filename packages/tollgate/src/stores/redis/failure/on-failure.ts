import { checkOptionNames } from "../../../core/check-options.ts";
import { show, TollgateError } from "../../../core/errors.ts";
import type { Report } from "../../../core/report.ts";
import type { SyncStore } from "../../../core/store.ts";
import { type FailurePolicy, NO_QUOTA_STATE, type QuotaState, uncounted } from "./failure-policy.ts";
import { LocalFraction } from "./local-fraction.ts";

/** How calls are decided while the server is unavailable. */
export type OnFailure =
  | "allow"
  | "deny"
  | {
      /** A store in this process, such as `memoryStore()`. */
      readonly fallback: SyncStore;
      /**
       * The fraction of each limit that this node enforces: above 0, at most 1, such as one over the number of nodes.
       * `createLimiter` throws if a fixed limit would then gain less than one unit in ten years.
       */
      readonly share: number;
    };

const NAMES: Readonly<Record<keyof Exclude<OnFailure, string>, true>> = { fallback: true, share: true };

/** @throws TollgateError `ERR_OPTION`. */
export function failurePolicyOf(onFailure: OnFailure): FailurePolicy {
  if (onFailure === "allow") return new Always(true);
  if (onFailure === "deny") return new Always(false);
  if (typeof onFailure !== "object" || onFailure === null) {
    throw new TollgateError(
      "ERR_OPTION",
      `onFailure: expected "allow", "deny" or { fallback, share }, got ${show(onFailure)}`,
    );
  }
  checkOptionNames("onFailure", onFailure, NAMES);
  const { fallback, share } = onFailure;
  if (fallback?.kind !== "sync" || typeof fallback.open !== "function") {
    throw new TollgateError(
      "ERR_OPTION",
      `onFailure.fallback: expected a store in this process, such as memoryStore(), got ${show(fallback)}`,
    );
  }
  if (!(typeof share === "number" && share > 0 && share <= 1)) {
    throw new TollgateError(
      "ERR_OPTION",
      `onFailure.share: expected a number above 0 and at most 1, got ${show(share)}`,
    );
  }
  return new LocalFraction(fallback, share);
}

class Always implements FailurePolicy {
  readonly #admits: boolean;

  constructor(admits: boolean) {
    this.#admits = admits;
  }

  open(): QuotaState {
    return NO_QUOTA_STATE;
  }

  decide(): Report {
    return uncounted(this.#admits);
  }
}
