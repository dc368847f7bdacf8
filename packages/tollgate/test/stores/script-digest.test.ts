import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { luaScript } from "../../../../tools/build/lua-script.ts";
import { SCRIPT, SCRIPT_SHA } from "../../src/stores/redis/script/source.generated.ts";

it("the script is that of the files in script/lua: `npm run script` writes it", () => {
  expect(SCRIPT).toBe(luaScript());
});

// Apart from the tests of the script, which need a server: with a stale digest each call over Redis is sent twice.
it("SCRIPT_SHA is the SHA-1 of the script", () => {
  expect(SCRIPT_SHA).toBe(createHash("sha1").update(SCRIPT).digest("hex"));
});
