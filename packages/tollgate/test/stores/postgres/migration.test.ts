import { readFileSync } from "node:fs";
import { postgresMigration } from "tollgate/postgres";
import { describe, expect, it } from "vitest";

const FILE = new URL("../../../src/stores/postgres/migration.sql", import.meta.url);

describe("the migration for PostgreSQL", () => {
  it("is the text of the file that the package has: npm run script writes the module", () => {
    expect(postgresMigration()).toBe(readFileSync(FILE, "utf8"));
  });

  it("has a logged table if it is asked for, and is the same otherwise", () => {
    expect(postgresMigration().split("UNLOGGED TABLE")).toHaveLength(2);
    expect(postgresMigration({ logged: true })).toBe(postgresMigration().replace("UNLOGGED TABLE", "TABLE"));
    expect(() => postgresMigration({ logged: 1 } as never)).toThrow("logged");
  });
});
