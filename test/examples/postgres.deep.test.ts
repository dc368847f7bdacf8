import { afterAll, expect, it, vi } from "vitest";
import { ofFile } from "../../packages/tollgate/test/of-file.ts";
import { PostgresServer } from "../../packages/tollgate/test/stores/postgres/servers/start-postgres.ts";
import { Examples, expectPromisedOutput, needsPostgres } from "./examples.ts";

const examples = new Examples(needsPostgres);

const server = await ofFile(PostgresServer.start());
vi.stubEnv("DATABASE_URL", `postgres://tollgate@127.0.0.1:${server.port}/postgres`);
examples.write();

afterAll(async () => {
  examples.remove();
  vi.unstubAllEnvs();
});

it("examples that connect to PostgreSQL are found", () => {
  expect(examples.list.length).toBeGreaterThan(1);
});

it.each(examples.list)("examples that connect to PostgreSQL print what they say: $place", expectPromisedOutput);
