import { type HotKey, type HotKeys, hotKeys } from "tollgate/metrics";
import type { LimiterSet } from "../limiter-set.ts";

/** The keys of a domain that have the most calls, and the most denials. */
export interface Hot {
  readonly active: readonly HotRuleKey[];
  readonly denied: readonly HotRuleKey[];
}

/** A key of `hotKeys`, with the rule in place of its limiter. */
export interface HotRuleKey extends Pick<HotKey, "key" | "count" | "error"> {
  readonly rule: string;
}

/** How many keys a list has. */
const MOST_HOT = 20;

/** Counts which keys of each domain are called most. */
export class HotKeysOfDomains {
  readonly #byDomain = new Map<string, HotKeys>();
  readonly close: () => void;

  constructor(limiters: LimiterSet) {
    this.close = limiters.watch((limiter) => {
      const { name: domain } = limiter;
      const hot = hotKeys(limiter, { top: MOST_HOT });
      this.#byDomain.set(domain, hot);
      return () => {
        hot.close();
        if (this.#byDomain.get(domain) === hot) this.#byDomain.delete(domain);
      };
    });
  }

  of(domain: string): Hot {
    const hot = this.#byDomain.get(domain);
    const ofRules = (keys: readonly HotKey[]) =>
      keys.map(({ limiter = "", ...key }) => ({ rule: limiter.slice(domain.length + 1), ...key }));
    return { active: ofRules(hot?.active() ?? []), denied: ofRules(hot?.denied() ?? []) };
  }
}

/** What several processes have counted, together. */
export function mergeHot(each: readonly Hot[]): Hot {
  return { active: merge(each.map(({ active }) => active)), denied: merge(each.map(({ denied }) => denied)) };
}

function merge(lists: readonly (readonly HotRuleKey[])[]): HotRuleKey[] {
  const byKey = new Map<string, HotRuleKey>();
  for (const hot of lists.flat()) {
    const id = JSON.stringify([hot.rule, hot.key]);
    const { count = 0, error = 0 } = byKey.get(id) ?? {};
    byKey.set(id, { ...hot, count: hot.count + count, error: hot.error + error });
  }
  return [...byKey.values()].sort((a, b) => b.count - b.error - (a.count - a.error)).slice(0, MOST_HOT);
}
