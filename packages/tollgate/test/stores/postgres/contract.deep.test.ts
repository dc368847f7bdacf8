import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { type PostgresStoreOptions, postgresStore } from "tollgate/postgres";
import { storeContract } from "tollgate/testing";
import { afterAll, beforeEach, describe, it } from "vitest";
import { BY_LIMITERS_CLOCK } from "../../../src/stores/redis/limiters-clock.ts";
import { correctionAttacks } from "../../limiter/attacks/corrections.ts";
import { ofFile } from "../../of-file.ts";
import { receiptCases } from "../redis/kit/receipt-cases.ts";
import { PostgresServer } from "./servers/start-postgres.ts";

const server = await ofFile(PostgresServer.start());
const pool = server.pool();
const sql = postgres({ ...server.address, max: 4, onnotice: () => {} });
afterAll(async () => {
  await pool.end();
  await sql.end();
});

function createStore(options: Partial<PostgresStoreOptions> = {}) {
  // Sweeps go by the server's clock, and would find the keys of a manual clock idle.
  const inTests = { ...BY_LIMITERS_CLOCK, timeout: "20s", sweepInterval: false } as const;
  return postgresStore({ client: pool, prefix: randomUUID(), ...inTests, ...options });
}

describe("the store contract holds over PostgreSQL", () => {
  it.each(storeContract({ createStore }))("$name", async ({ run }) => {
    await run();
  });
});

/** Calls that may be joined, remembered or sent one by one. */
const JOINED = /made together|a batch decides/;

describe("the store contract holds by postgres.js, without batches and without a cache of denials", () => {
  const createOther = () => createStore({ client: sql, batch: false, denyCache: false, prepare: false });
  const cases = storeContract({ createStore: createOther }).filter(({ name }) => JOINED.test(name));
  it.each(cases)("$name", async ({ run }) => {
    await run();
  });
});

describe("over PostgreSQL", () => {
  correctionAttacks(() => createStore());

  const lose = () => pool.query("DELETE FROM tollgate.counts");
  beforeEach(lose);
  receiptCases(() => postgresStore({ client: pool }), lose);
});
