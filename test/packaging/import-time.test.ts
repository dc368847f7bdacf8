import { afterAll, beforeAll, expect, it } from "vitest";
import { runNode } from "../support/run.ts";
import { remove, temporaryFolder } from "../support/temporary-folder.ts";
import { plantInstalled } from "./installed-project.ts";
import { link, userEnvironment } from "./projects.ts";

const ROUNDS = 21;
const MOST = { tollgate: 1.2, "tollgate/redis": 1.5 } as const;
const OTHER = "express-rate-limit";

let root: string;
beforeAll(async () => {
  root = temporaryFolder();
  await plantInstalled(root, {});
  link(root, [OTHER]);
});
afterAll(() => remove(root));

/** The processor time of a program in microseconds: other work on the machine affects it less than wall time. */
async function microseconds(load: string): Promise<number> {
  const program = `${load}\nconst { user, system } = process.cpuUsage();\nconsole.log(user + system);`;
  const { status, stdout, stderr } = await runNode(root, ["--input-type=module", "-e", program], userEnvironment());
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return Number(stdout);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

it("the package loads in the time of express-rate-limit, measured in alternation", async () => {
  const programs = ["", OTHER, ...Object.keys(MOST)];
  const times = new Map<string, number[]>(programs.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, list] of times) list.push(await microseconds(name === "" ? "" : `import "${name}";`));
  }
  const [bare = 0, other = 0, ...own] = [...times.values()].map(median);
  const ratios = own.map((time) => (time - bare) / (other - bare));
  expect(ratios[0]).toBeLessThan(MOST.tollgate);
  expect(ratios[1]).toBeLessThan(MOST["tollgate/redis"]);
});
