import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  type Limit,
  perDay,
  perMinute,
  perSecond,
  slidingWindow,
  tokenBucket,
} from "tollgate";
import { createPlan, PlanVerbs } from "tollgate/store";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../packages/tollgate/test/error-of.ts";
import { blocksOf, REPOSITORY } from "./code-blocks.ts";

const read = (file: string) => readFileSync(join(REPOSITORY, file), "utf8");
const SOURCE = "packages/tollgate/src";

/** The fields that an interface declares itself. */
function fieldsOf(file: string, name: string): string[] {
  const [, body = ""] =
    new RegExp(`interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(read(`${SOURCE}/${file}`)) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = ""]) => field);
}

/** The first cells of the tables below a heading of a page, where they are code. */
function rowsOf(page: string, heading: string): string[] {
  const [, section = ""] = read(`docs/${page}`).split(`\n## ${heading}\n`);
  return [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = ""]) => cell);
}

describe("docs/verbs.md", () => {
  const decision = "core/decision.ts";

  it("has a row for each field of a decision, and for no other", () => {
    const fields = ["DecisionCommon", "Allowed", "Denied"].flatMap((name) => fieldsOf(decision, name));
    expect(fields.length).toBeGreaterThan(10);
    const rows = rowsOf("verbs.md", "Allowed and Denied").filter((row) => !row.startsWith('"'));
    expect(rows.toSorted()).toEqual(fields.toSorted());
  });

  it("has a row for each reason of a denial", () => {
    const [, union = ""] = /readonly reason:([^;]*);/.exec(read(`${SOURCE}/${decision}`)) ?? [];
    const reasons = union.match(/"[^"]+"/g) ?? [];
    expect(reasons.length).toBeGreaterThan(5);
    expect(rowsOf("verbs.md", "Allowed and Denied")).toEqual(expect.arrayContaining([...reasons]));
  });

  it("has a row for each field of a limit's status, and for no other", () => {
    const fields = fieldsOf(decision, "LimitStatus");
    expect(fields.length).toBeGreaterThan(5);
    expect(rowsOf("verbs.md", "LimitStatus").toSorted()).toEqual(fields.toSorted());
  });
});

const LIMITS = "algorithms/limits";

describe("docs/options.md", () => {
  it("has a row for each option of createLimiter, and for no other", () => {
    const options = [...fieldsOf("limiter/options.ts", "LimiterOptions"), "key", "store", "async"];
    expect(rowsOf("options.md", "createLimiter").toSorted()).toEqual(options.toSorted());
  });

  it.each([
    ["Every limit", ["limit-options.ts LimitOptions"]],
    ["tokenBucket", ["token-bucket.ts TokenBucketOptions", "token-bucket.ts InitialOptions"]],
    ["perSecond, perMinute, perHour, perDay", ["token-bucket.ts RateOptions"]],
    ["slidingWindow", ["sliding-window.ts SlidingWindowOptions"]],
    ["fixedWindow", ["plain-window.ts FixedWindowOptions", "fixed-window.ts CalendarWindowOptions"]],
    ["concurrency", ["concurrency.ts ConcurrencyOptions"]],
  ] as const)("has a row for each option of limits, and for no other: %s", (heading, sources) => {
    const options = sources.flatMap((source) => {
      const [file = "", name = ""] = source.split(" ");
      return fieldsOf(`${LIMITS}/${file}`, name);
    });
    expect(options.length).toBeGreaterThan(0);
    expect(rowsOf("options.md", heading).toSorted()).toEqual([...new Set(options)].toSorted());
  });
});

/** For each section, how to make something with one option. */
const MAKERS: Readonly<Record<string, (option: object) => unknown>> = {
  createLimiter: (option) => createLimiter({ limits: [perMinute(1)], ...option }),
  "Every limit": (option) => perMinute(1, option),
  tokenBucket: (option) => tokenBucket({ capacity: 1, refill: 1, per: "1s", initial: "empty", ...option }),
  "perSecond, perMinute, perHour, perDay": (option) => perMinute(1, option),
  slidingWindow: (option) => slidingWindow({ limit: 1, window: "1s", ...option }),
  fixedWindow: (option) => fixedWindow({ limit: 1, window: "1s", ...option }),
  concurrency: (option) => concurrency({ max: 1, ttl: "1s", ...option }),
};

describe("the errors of docs/options.md", () => {
  const options = Object.entries(MAKERS).flatMap(([heading, make]) =>
    // `async` is checked where look-ups are.
    rowsOf("options.md", heading)
      .filter((option) => option !== "async")
      .map((option) => ({ heading, option, make })),
  );

  it.each(options)("are those that a wrong value throws: $option of $heading", ({ heading, option, make }) => {
    const [, section = ""] = read("docs/options.md").split(`\n## ${heading}\n`);
    const [, row = ""] = new RegExp(`^\\| \`${option}\` \\|.*\\|(.*)\\|$`, "m").exec(section) ?? [];
    const stated = row.match(/ERR_\w+/g);
    const code = errorOf(() => make({ [option]: Symbol("wrong") })).code;
    expect(stated).toContain(code);
  });
});

describe("docs/choosing.md", () => {
  it("recommends limits that can be made", () => {
    const factories = { fixedWindow, perDay, perMinute, perSecond, slidingWindow, tokenBucket };
    const [table = ""] = read("docs/choosing.md").split("\n## ");
    const expressions = [...table.matchAll(/`((?:per[A-Z]|slidingW|fixedW|tokenB)\w+\([^`]*\))`/g)].map(
      ([, code]) => code,
    );
    expect(expressions.length).toBeGreaterThan(14);
    const limits = expressions.map((expression) => runInNewContext(expression ?? "", factories) as Limit);
    expect(limits.filter(({ capacity }) => !(capacity > 0))).toEqual([]);
  });

  const cellsOf = (limit: Limit) => new PlanVerbs(createPlan("a", "a", [limit])).width - 1;

  it("says how many cells a sliding window takes", () => {
    const hour = { limit: 1_000, window: "1h" } as const;
    const cells = [
      cellsOf(slidingWindow({ limit: 5, window: "15m" })),
      cellsOf(slidingWindow(hour)),
      cellsOf(slidingWindow({ ...hour, resolution: "10s" })),
      cellsOf(slidingWindow({ ...hour, resolution: 0 })),
    ];
    const [, section = ""] = read("docs/choosing.md").split("\n## Resolution of a sliding window\n");
    const stated = [...section.matchAll(/^\| \S+ in .* \| ([\d,]+) \|$/gm)].map(([, count = ""]) => count);
    expect(stated).toEqual(cells.map((count) => count.toLocaleString("en")));
  });
});

describe("docs/express.md", () => {
  it("has an application with plans, logins, blocks and Redis, and its tests, in sixty lines", () => {
    const blocks = blocksOf("docs/express.md").filter(({ code }) => code.includes("shop.ts"));
    const lines = blocks.flatMap(({ code }) => code.split("\n").filter((line) => line !== "" && line !== "// shop.ts"));
    expect(blocks).toHaveLength(2);
    expect(lines.length).toBeLessThanOrEqual(60);
  });
});

function isPicture(name: string): boolean {
  return /\.(?:svg|png)$/.test(name);
}

describe("docs/README.md", () => {
  it("leads to every page", () => {
    // A folder of pictures has no page.
    const pages = readdirSync(join(REPOSITORY, "docs"), { withFileTypes: true })
      .filter((entry) => !(entry.isDirectory() && readdirSync(join(REPOSITORY, "docs", entry.name)).every(isPicture)))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/README.md` : entry.name))
      .filter((page) => page !== "README.md");
    expect(pages.filter((page) => !read("docs/README.md").includes(`](${page})`))).toEqual([]);
  });
});
