import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FuzzRun } from "./fuzz-run.ts";
import { FuzzedService, SERVICES } from "./fuzzed-service.ts";

/** The same inputs each time, unless the environment says otherwise, as `npm run fuzz:service` does. */
const {
  FUZZ_SEED = "1053667609",
  FUZZ_SECONDS = "10",
  FUZZ_INPUTS = "0-",
  FUZZ_SERVICES = Object.keys(SERVICES).join(","),
} = process.env;

const seed = FUZZ_SEED === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(FUZZ_SEED);
const seconds = Number(FUZZ_SECONDS);
const [first, last = ""] = FUZZ_INPUTS.split("-");
const settings = {
  seed,
  seconds,
  first: Number(first),
  last: last === "" ? Number.POSITIVE_INFINITY : Number(last),
};

it("the service neither crashes nor hangs nor grows, whatever clients send and its limits files say", {
  timeout: (seconds + 200) * 1_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-fuzz-"));
  const services = await Promise.all(FUZZ_SERVICES.split(",").map((name) => FuzzedService.start(name, folder)));
  const run = new FuzzRun(settings, services);
  try {
    await run.run();
  } finally {
    console.log(`FUZZ_SEED=${seed} ${JSON.stringify(run.inputs)}`);
    for (const { name, faults } of services) for (const fault of faults) console.log(`${name}: ${fault}`);
    await Promise.all(services.map((service) => service.kill()));
    await rm(folder, { recursive: true, force: true });
  }
  if (last === "") expect(Object.entries(run.inputs).filter(([, count]) => count === 0)).toEqual([]);
});
