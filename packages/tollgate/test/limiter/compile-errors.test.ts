import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runNode } from "../../../../test/support/run.ts";

const REPOSITORY = fileURLToPath(new URL("../../../..", import.meta.url));
/** A folder of this process: two runs may overlap. */
const FOLDER = join(REPOSITORY, "packages/tollgate/test/.generated", `compile-errors-${process.pid}`);

const PREAMBLE = `import { combine, createLimiter, fixedWindow, memoryStore, perMinute, slidingWindow, tokenBucket } from "tollgate";
import type { AsyncLimiter, Duration, Limiter } from "tollgate";
import { storeContract } from "tollgate/testing";
import { tableStore } from "tollgate/table";

declare const byText: Limiter<string>;
declare const byUser: Limiter<{ user: string }>;
declare const byRoute: Limiter<{ route: string }>;
declare const byUserNumber: Limiter<{ user: number }>;
declare const byNumber: Limiter<number>;
declare const remote: AsyncLimiter<string>;
declare const either: Limiter<string> | AsyncLimiter<string>;
export {};
`;

/** Mistakes, with what the compiler has to say about each. */
const MISTAKES: readonly (readonly [code: string, message: RegExp])[] = [
  ["perMinute(5, { burts: 3 });", /'burts' does not exist in type 'RateOptions'. Did you mean to write 'burst'/],
  ['perMinute("5");', /'string' is not assignable to parameter of type 'number'/],
  ["tokenBucket({ capacity: 1, refill: 1 });", /Property 'per' is missing/],
  ['slidingWindow({ limit: 5, windowMs: "1m" });', /'windowMs' does not exist in type 'SlidingWindowOptions'/],
  ['fixedWindow({ limit: 5, window: "1 day" });', /Type '"1 day"' is not assignable to type 'Duration'/],
  ['fixedWindow({ limit: 5, window: "1d2w" });', /Type '"1d2w"' is not assignable to type 'Duration'/],
  ["memoryStore({ sweepIntervalMs: 5 });", /Did you mean to write 'sweepInterval'/],
  ['memoryStore({ overflow: "drop" });', /Type '"drop"' is not assignable to type 'OverflowPolicy | undefined'/],
  ["tableStore({});", /Property 'maxKeys' is missing/],
  ["storeContract({ createStor: memoryStore });", /Did you mean to write 'createStore'/],
  ["combine(byText, byUser);", /not assignable to type '"limiters whose inputs fit together"'/],
  ["combine(byText, byNumber);", /not assignable to type '"limiters whose inputs fit together"'/],
  ["combine(byUser, byUserNumber);", /not assignable to type '"limiters whose inputs fit together"'/],
  ["combine(combine(byUser, byRoute), byText);", /not assignable to type '"limiters whose inputs fit together"'/],
  ['combine(byUser, byRoute).allow({ user: "ann" });', /Property 'route' is missing/],
];

const CORRECT = `const both: Limiter<{ user: string } & { route: string }> = combine(byUser, byRoute);
const text: Limiter<string> = combine(byText, byText);
const async: AsyncLimiter<string> = combine(remote, remote);
const any: Limiter<string> | AsyncLimiter<string> = combine(either, either);
const list: Limiter<string> = combine(...[byText, byText]);
const weeks: Duration[] = ["1w", "2w3d", "1w30m", "1w1d1h1m1s1ms", 5];
`;

describe("the compiler", () => {
  let output = "";
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    const compilerOptions = { noUnusedLocals: false, tsBuildInfoFile: "./.tsbuildinfo" };
    const config = {
      extends: "../../../../../tsconfig.tests.json",
      include: ["*.ts"],
      references: [],
      compilerOptions,
    };
    writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
    for (const [i, [code]] of MISTAKES.entries()) writeFileSync(join(FOLDER, `mistake-${i}.ts`), PREAMBLE + code);
    writeFileSync(join(FOLDER, "correct.ts"), PREAMBLE + CORRECT);
    const tsc = join(REPOSITORY, "node_modules/typescript/bin/tsc");
    output = (await runNode(FOLDER, [tsc, "-p", FOLDER, "--pretty", "false"])).stdout;
  });
  afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  /** The errors of one file. Further lines of an error are indented. */
  const errorsIn = (file: string) =>
    output
      .split(/\n(?=\S)/)
      .filter((error) => error.startsWith(`${file}(`))
      .map((error) => error.trim());

  it.each(MISTAKES.map(([code, message], i) => ({ code, message, i })))("refuses $code", ({ message, i }) => {
    const errors = errorsIn(`mistake-${i}.ts`);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(message);
    expect(errors[0]).not.toMatch(/overload/i);
  });

  it("accepts limiters whose inputs fit together, and durations in weeks", () => {
    expect(errorsIn("correct.ts")).toEqual([]);
    expect(output.split(/\n(?=\S)/).filter((error) => !error.startsWith("mistake-") && error.trim() !== "")).toEqual(
      [],
    );
  });
});
