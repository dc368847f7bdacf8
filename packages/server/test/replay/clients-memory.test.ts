import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseLimits } from "tollgate/config";
import { expect, it } from "vitest";
import * as yaml from "yaml";
import { bytesOf } from "../../src/replay/bytes.ts";
import { Clients } from "../../src/replay/clients.ts";
import { Fitting } from "../../src/replay/fitting.ts";
import { Judging } from "../../src/replay/judging.ts";

const CLIENTS = 50_000;
/** What is claimed: the docs of `--max-clients` have it. */
const MOST_BYTES = 512;

function bytesInUse(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it("a client takes at most 512 bytes, and clients beyond the bound take no more", () => {
  const before = bytesInUse();
  const clients = new Clients(CLIENTS);
  const fitting = new Fitting(clients, { text: "99", parts: 1e6 }, 1e15 + CLIENTS);
  // One key for all: what limits keep of their keys is theirs.
  const limits = parseLimits("version: 1\ndomains: { web: { limits: { all: { rate: 1/1s, burst: 5 } } } }", { yaml });
  const judging = new Judging(limits, "web", CLIENTS + 1);
  const see = (name: number) => {
    // The longest that an address is: 39 characters.
    const client = clients.numberOf(bytesOf(`2001:0db8:0000:0000:0000:0000:${String(name).padStart(9, "0")}`));
    fitting.add(client, 1e15 + name);
    judging.add(1e15 + name, client, {});
  };
  for (let name = 0; name < CLIENTS; name += 1) see(name);
  const full = bytesInUse();
  expect((full - before) / CLIENTS).toBeLessThan(MOST_BYTES);
  for (let name = CLIENTS; name < 3 * CLIENTS; name += 1) see(name);
  expect(bytesInUse() - full).toBeLessThan(4_000_000);
  judging.close();
  expect([clients.count, fitting.judge().grid().shares[0]?.[0]]).toEqual([CLIENTS, 0]);
});
