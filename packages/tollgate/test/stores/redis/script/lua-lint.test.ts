import { expect, it } from "vitest";
import { luaFindings } from "../../../../../../tools/build/lua-script.ts";

it("luacheck is installed, and finds nothing in the script", () => {
  expect(luaFindings()).toEqual([]);
});
