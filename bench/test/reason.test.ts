import { describe, expect, it } from "vitest";
import { reasonOf } from "../orchestrate/reason.ts";

describe("reasonOf", () => {
  it("is the process's own error, and names no folder", () => {
    const stderr = `file:///home/ann/repo/bench/dist/tollgate/clock-coarse.js:1
import { coarseClock } from "tollgate";
SyntaxError: The requested module 'tollgate' does not provide an export named 'coarseClock'
    at ModuleJob._instantiate (node:internal/modules/esm/module_job:180:21)
`;
    const error = Object.assign(new Error("Command failed: /usr/bin/node /home/ann/repo/child.js"), { stderr });
    expect(reasonOf(error)).toBe(
      "SyntaxError: The requested module 'tollgate' does not provide an export named 'coarseClock'",
    );
  });

  it("keeps a file's name", () => {
    const stderr =
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/home/ann/repo/dist/a.js' imported from /b/c.js\n";
    expect(reasonOf({ stderr })).toBe("Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'a.js' imported from c.js");
  });

  it("is the message where the process said nothing", () => {
    const error = Object.assign(new Error("Command failed: /usr/bin/node /home/ann/child.js\nmore"), { stderr: "" });
    expect(reasonOf(error)).toBe("Command failed: node child.js");
  });
});
