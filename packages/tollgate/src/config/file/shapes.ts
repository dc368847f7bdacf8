import { CONCURRENT_REQUESTS } from "../../core/limits/places.ts";
import type {
  BlockForWord,
  DomainWords,
  InflightWord,
  LimitsFile,
  LimitWords,
  MatchWords,
  PlansWord,
  RuleWords,
} from "./limits-file.ts";
import type { Shape } from "./shape.ts";

// One table for each type of `limits-file.ts`. `Record<keyof …>` makes a forgotten word a compile error.

type WordsOf<Words> = Readonly<Record<keyof Words & string, Shape>>;

const MOST_IN_LIST = 100_000;
const LONGEST_TEXT = 256;

const text = (expected: string, pattern?: string, maxLength: number = LONGEST_TEXT): Shape => ({
  expected,
  type: "string",
  maxLength,
  ...(pattern !== undefined && { pattern: wholeText(pattern) }),
});
const list = (expected: string, items: Shape, maxItems: number = MOST_IN_LIST): Shape => ({
  expected,
  type: "array",
  minItems: 1,
  maxItems,
  items,
});
const map = (expected: string, propertyNames: Shape, additionalProperties: Shape): Shape => ({
  expected,
  type: "object",
  minProperties: 1,
  propertyNames,
  additionalProperties,
});
const object = (expected: string, properties: Readonly<Record<string, Shape>>, ...required: string[]): Shape => ({
  expected,
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});
const either = (expected: string, ...anyOf: readonly Shape[]): Shape => ({ expected, anyOf });
const oneOf = (...words: readonly (string | number | boolean)[]): Shape => ({
  expected: words.join(" or "),
  enum: words,
});
const word = (description: string, shape: Shape): Shape => ({ description, ...shape });
const count = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Shape => ({
  expected: minimum === 0 ? "a whole number from 0" : "a positive whole number",
  type: "integer",
  minimum,
  maximum,
});

function wholeText(pattern: string): string {
  return `^(?:${pattern})$`;
}

const DURATION_PATTERN = ["w", "d", "h", "m", "s", "ms"]
  .map((unit) => `(?:\\d{1,16}(?:\\.\\d{1,4})?${unit})?`)
  .join("");
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

const DURATION = text("a duration such as 10s or 1h30m", `(?=.)${DURATION_PATTERN}`);
const AMOUNT = text("a count and a duration, such as 60/1m", `[1-9]\\d{0,15}/(?=.)${DURATION_PATTERN}`);
const QUOTA = text(
  "a count and a duration, or a day, week, month or year, such as 10000/1d or 10000/month in Europe/Berlin",
  `[1-9]\\d{0,15}/(?:(?:day|week|month|year)(?: in [A-Za-z][A-Za-z0-9_+/-]{0,63})?|(?=.)${DURATION_PATTERN})`,
);
/** Buckets fill continuously, so their count may have decimals. */
const RATE = text(
  "a count and a duration, such as 60/1m or 0.5/1s",
  `(?=[0.]*[1-9])(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,6})?/(?=.)${DURATION_PATTERN}`,
);
/** Names of rules, domains and units are parts of names of limiters, which travel in headers and Redis keys. */
const NAME_PATTERN = "[A-Za-z0-9][A-Za-z0-9_.-]*";
const NAME = text("a name: up to 48 letters, digits, hyphens, dots and underscores", NAME_PATTERN, 48);
const UNIT = text(
  `a name of a unit, other than ${CONCURRENT_REQUESTS}, which inflight counts`,
  `(?!${CONCURRENT_REQUESTS}$)${NAME_PATTERN}`,
  48,
);
const ANY_TEXT = text("a text of 1 to 256 characters", "[\\s\\S]+");
const PATTERN_TEXT = text("a text, in which * stands for any characters");
const FACT = text(
  "a fact: ip, method, path, host, header.NAME, query.NAME, cookie.NAME or a descriptor's key",
  `(?:(?:header|cookie)\\.${TOKEN}|(?:query|descriptor)\\.[\\s\\S]+|[A-Za-z_][A-Za-z0-9_-]*)`,
);
const HEADER_NAME = text("the name of a header", TOKEN);
const METHOD = text("a method in upper case, such as GET", "[A-Z][A-Z-]*", 32);
const PATH = text(
  "a path such as /v1/*/items or /v1/**, with wildcards for whole segments",
  "(?:/(?:\\*\\*?|[^/?#*]*))+",
  1_024,
);

const PATTERNS = either("a text, or a list of them", PATTERN_TEXT, list("a list of texts", PATTERN_TEXT));
const amounts = (amount: Shape): Shape => {
  const some = list("a list of amounts such as 60/1m", amount, 16);
  return either(
    "an amount such as 60/1m, a list of them, or amounts per unit",
    amount,
    some,
    map(
      "amounts per unit, such as { tokens: 100000/1m }",
      UNIT,
      either("an amount such as 60/1m, or a list of them", amount, some),
    ),
  );
};
const AMOUNTS = amounts(AMOUNT);

const INFLIGHT_WORDS: WordsOf<InflightWord> = {
  max: word("The most requests of a key in flight.", count(1)),
  ttl: word("After this time a place frees itself.", DURATION),
};

const LIMIT_WORDS: WordsOf<LimitWords> = {
  rate: word("A token bucket: 60/1m holds 60 and gains 60 a minute.", amounts(RATE)),
  burst: word(
    "What the bucket of rate holds, if that is not its count.",
    either("a positive whole number, or one per unit", count(1), map("a number per unit", UNIT, count(1))),
  ),
  within: word("A sliding window: 5/15m is at most 5 in any 15 minutes.", AMOUNTS),
  quota: word(
    "A fixed window: 10000/1d is at most 10,000 each day from midnight, UTC; 10000/month in Europe/Berlin each month there.",
    amounts(QUOTA),
  ),
  inflight: word(
    "How many requests of a key may be in flight.",
    object("max and ttl, such as { max: 10, ttl: 30s }", INFLIGHT_WORDS, "max", "ttl"),
  ),
};

const FLAG = oneOf(true, false);
const INSTEAD = oneOf("unlimited", "deny");

const CHOICE = either(
  "limits such as { rate: 60/1m }, or unlimited, or deny",
  INSTEAD,
  object("limits such as { rate: 60/1m }", LIMIT_WORDS),
);

const PLANS_WORDS: WordsOf<PlansWord> = {
  from: word("The fact that tells the plan. A header has to be one of trustedHeaders.", FACT),
  is: word("The limits of each plan.", map("limits by plan", ANY_TEXT, CHOICE)),
};

const UNIT_COST_WORDS: Readonly<Record<"from" | "otherwise", Shape>> = {
  from: word("The fact that states the cost.", FACT),
  otherwise: word("The cost if the fact is missing or is no whole number: 1 unless stated.", count(0)),
};
const UNIT_COST = either(
  "a whole number, a fact, or { from, otherwise }",
  count(0),
  FACT,
  object("from and otherwise", UNIT_COST_WORDS, "from"),
);
const COST = either(
  "a whole number, a fact, or one per unit, such as { tokens: header.x-tokens }",
  count(0),
  FACT,
  map("costs per unit, such as { tokens: header.x-tokens }", NAME, UNIT_COST),
);

const BLOCK_FOR_WORDS: WordsOf<Exclude<BlockForWord, string>> = {
  duration: word("How long the key is blocked.", DURATION),
  extend: word("Whether denied calls begin the duration anew.", FLAG),
  durations: word("Each offence takes the next one.", list("a list of durations", DURATION, 16)),
  forgetAfter: word("How long after the end of a block its offence counts.", DURATION),
};

const METHODS = either("a method such as GET, or a list of them", METHOD, list("a list of methods", METHOD));
const PATHS = either("a path such as /v1/**, or a list of them", PATH, list("a list of paths", PATH));
const ADDRESS = text("an address, a CIDR block, private or loopback", undefined, 64);
const ADDRESSES = either("addresses or CIDR blocks", ADDRESS, list("a list of addresses and CIDR blocks", ADDRESS));

const ON_FAILURE = either(
  "allow, deny, local, or nodes such as { nodes: 4 }",
  oneOf("allow", "deny", "local"),
  object(
    "{ nodes }",
    { nodes: word("Each of so many nodes enforces its share of each limit.", count(1, 100_000)) },
    "nodes",
  ),
);
const onFailure = (place: string): Shape => word(`What decides while the store is unavailable${place}.`, ON_FAILURE);

type NamedMatch = Omit<MatchWords, `${string}.${string}`>;
const MATCH_WORDS: WordsOf<NamedMatch> = {
  method: word("The methods.", METHODS),
  path: word("The paths: * is any one segment, ** any number of segments.", PATHS),
  host: word("The hosts, without a port.", PATTERNS),
  ip: word("Addresses, CIDR blocks, private or loopback.", ADDRESSES),
  descriptor: word("Entries that the descriptor has.", map("patterns by key", ANY_TEXT, PATTERNS)),
};

const MATCH: Shape = {
  ...object("conditions such as { method: POST, path: /login }", MATCH_WORDS),
  others: ["header.NAME or cookie.NAME", "query.NAME"],
  patternProperties: {
    [wholeText(`(?:header|cookie)\\.${TOKEN}`)]: PATTERNS,
    [wholeText("query\\.[\\s\\S]+")]: PATTERNS,
  },
};

const RULE_WORDS: WordsOf<RuleWords> = {
  match: word("The requests that the rule counts: all of the domain unless stated.", MATCH),
  by: word(
    "The facts that make the key. Without them all requests share one key.",
    either("a fact such as ip, or a list of facts", FACT, list("a list of facts", FACT, 8)),
  ),
  ...LIMIT_WORDS,
  limit: word("In place of limits: for requests of no plan and no key below.", INSTEAD),
  plans: word(
    "Limits by plan, in place of the rule's.",
    object("from and is, such as { from: plan, is: { pro: { rate: 600/1m } } }", PLANS_WORDS, "from", "is"),
  ),
  keys: word(
    "Limits of single keys, in place of the rule's and of the plan's.",
    map("limits by key", ANY_TEXT, CHOICE),
  ),
  cost: word("What a request costs, per unit.", COST),
  mode: word("shadow counts and never denies, off counts nothing.", oneOf("enforce", "shadow", "off")),
  blockFor: word(
    "How long a key is blocked that exhausts a limit.",
    either(
      "a duration such as 10m, or { duration, extend }, or { durations, forgetAfter }",
      DURATION,
      object("{ duration, extend } or { durations, forgetAfter }", BLOCK_FOR_WORDS),
    ),
  ),
  onFailure: onFailure(", in place of that of the domain"),
};

const LIMIT = "rate: 60/1m, within: 5/15m or quota: 10000/1d";

/** One rule. Further checks look at each value of this shape. */
export const RULE_SHAPE: Shape = {
  ...object("a rule such as { by: ip, rate: 60/1m }", RULE_WORDS),
  hints: {
    algorithm: LIMIT,
    capacity: "burst: 20",
    concurrency: "inflight: { max: 10, ttl: 30s }",
    duration: LIMIT,
    key: "by: ip",
    max: LIMIT,
    maxWait: 'rateLimit({ limiter, maxWait: "2s" }) in the program, as all rules of a domain wait together',
    path: "match: { path: /login }",
    per: LIMIT,
    period: LIMIT,
    refill: "rate: 60/1m",
    window: LIMIT,
  },
};

const DOMAIN_WORDS: WordsOf<DomainWords> = {
  onFailure: onFailure(", in place of that of the file"),
  ignoreCase: word("Whether upper and lower case of a path are equal.", FLAG),
  limits: word("The rules. All that match decide together.", map("rules by name", NAME, RULE_SHAPE)),
};

const FILE_WORDS: WordsOf<LimitsFile> = {
  $schema: word("Where editors find the schema.", text("a text", undefined, 2_048)),
  version: word("The version of the format: 1.", oneOf(1)),
  trustedHeaders: word(
    "Headers that a proxy sets, or deletes from what clients send.",
    list("a list of names of headers", HEADER_NAME),
  ),
  onFailure: onFailure(": allow unless stated"),
  domains: word(
    "Rules by domain.",
    map("domains by name", NAME, {
      ...object("a domain with limits", DOMAIN_WORDS, "limits"),
      hints: { descriptors: "limits: { login: { by: ip, rate: 60/1m } }", rules: "limits" },
    }),
  ),
};

/** The whole file. */
export const FILE_SHAPE: Shape = {
  ...object("version and domains", FILE_WORDS, "version", "domains"),
  hints: { limits: "domains: { api: { limits } }", rules: "domains: { api: { limits } }" },
};
