import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { luaFindings } from "../../../../../../tools/build/lua-script.ts";

it("luacheck finds nothing in the script", () => {
  // Without the program there would be no findings either.
  expect(spawnSync("luacheck", ["--version"]).error).toBeUndefined();
  expect(luaFindings()).toEqual([]);
});
