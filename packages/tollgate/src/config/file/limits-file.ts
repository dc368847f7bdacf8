/** `"60/1m"`: a count, a slash and a duration; in a quota also `"10000/month"` or `"10000/month in Europe/Berlin"`. */
export type Amount = `${number}/${string}`;

/** One amount, several on one key, or amounts per unit: `{ tokens: "100000/1m" }`. */
export type Amounts = Amount | readonly Amount[] | { readonly [unit: string]: Amount | readonly Amount[] };

/** Text patterns: exact text, with `*` for any characters. A fact that is missing or empty matches only `""`. */
export type Patterns = string | readonly string[];

/** At most `max` requests of a key in flight. A place that is not freed frees itself after `ttl`. */
export interface InflightWord {
  readonly max: number;
  readonly ttl: string;
}

/** The words that are limits. The word chooses the algorithm. */
export interface LimitWords {
  /** A token bucket: `60/1m` holds 60 and gains 60 a minute; `0.5/1s` holds 1 and gains one every two seconds. */
  readonly rate?: Amounts;
  /** What the bucket of `rate` holds, if that is not its count. */
  readonly burst?: number | { readonly [unit: string]: number };
  /** A sliding window: `5/15m` is at most 5 in any 15 minutes. */
  readonly within?: Amounts;
  /**
   * A fixed window: `10000/1d` is at most 10,000 each day from midnight, UTC. A window may be a `day`, `week`, `month`
   * or `year` of a time zone.
   */
  readonly quota?: Amounts;
  readonly inflight?: InflightWord;
}

/** What holds for a plan or a key in place of the rule's limits. */
export type Choice = LimitWords | "unlimited" | "deny";

/** Chooses limits by a fact that tells a client's plan. */
export interface PlansWord {
  /** A fact that clients cannot choose. A header has to be one of `trustedHeaders`. */
  readonly from: string;
  readonly is: { readonly [plan: string]: Choice };
}

/** What a request costs in a unit: a whole number, or a fact that states one. */
export type CostWord =
  | number
  | string
  | {
      readonly from: string;
      /** The cost if the fact is missing or is no whole number: 1 by default. */
      readonly otherwise?: number;
    };

/** How long a key is blocked that exhausts a limit of the rule. */
export type BlockForWord =
  | string
  | {
      readonly duration?: string;
      readonly extend?: boolean;
      readonly durations?: readonly string[];
      readonly forgetAfter?: string;
    };

/** The requests that a rule counts. All conditions hold; of a list, one. */
export interface MatchWords {
  readonly method?: string | readonly string[];
  /** Segments, `*` for any one segment, `**` for any number of segments. */
  readonly path?: string | readonly string[];
  /** Without a port. `*.example.com` is every subdomain. */
  readonly host?: Patterns;
  /** Addresses, CIDR blocks, `private` or `loopback`. */
  readonly ip?: string | readonly string[];
  readonly descriptor?: { readonly [key: string]: Patterns };
  readonly [fact: `header.${string}` | `query.${string}` | `cookie.${string}`]: Patterns | undefined;
}

/**
 * What decides while the store is unavailable: `allow` and `deny` everything, `local` by the limits as counted in this
 * process alone, or by the share of each limit that one of so many nodes has.
 */
export type OnFailureWord = "allow" | "deny" | "local" | { readonly nodes: number };

/** One rule: which requests it counts, by what, and its limits. */
export interface RuleWords extends LimitWords {
  /** Without it, the rule counts every request of its domain. */
  readonly match?: MatchWords;
  /** The facts that make the key. Without them all requests share one key. */
  readonly by?: string | readonly string[];
  /** In place of limits: what holds for requests of no plan and no key of the lists below. */
  readonly limit?: "unlimited" | "deny";
  /** Limits by plan, in place of the rule's. */
  readonly plans?: PlansWord;
  /** Limits of single keys, in place of the rule's and of their plan's. */
  readonly keys?: { readonly [key: string]: Choice };
  /** Per unit; a number or a fact alone is the cost in requests. */
  readonly cost?: number | string | { readonly [unit: string]: CostWord };
  /** With `shadow` the rule counts and never denies. With `off` it counts no request. */
  readonly mode?: "enforce" | "shadow" | "off";
  readonly blockFor?: BlockForWord;
  /** In place of that of the domain. */
  readonly onFailure?: OnFailureWord;
}

/** The rules that decide together about a request. */
export interface DomainWords {
  /** Whether upper and lower case of a path are equal, as in Express. */
  readonly ignoreCase?: boolean;
  /** In place of that of the file. */
  readonly onFailure?: OnFailureWord;
  readonly limits: { readonly [rule: string]: RuleWords };
}

/** A file of limits, as YAML or JSON has it. `parseLimits` reads it from text. */
export interface LimitsFile {
  /** Where editors find the schema. */
  readonly $schema?: string;
  readonly version: 1;
  /** Headers that a proxy in front sets, or deletes from what clients send. */
  readonly trustedHeaders?: readonly string[];
  /** `allow` by default. */
  readonly onFailure?: OnFailureWord;
  readonly domains: { readonly [domain: string]: DomainWords };
}
