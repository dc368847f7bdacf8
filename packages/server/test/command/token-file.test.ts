import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseCommandLine } from "../../src/command/command-line.ts";

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "tokens");
  writeFileSync(path, text);
  return path;
}

function serveWith(path: string): unknown {
  return parseCommandLine(["serve", "--admin-port", "0", "--admin-host", "0.0.0.0", "--admin-token-file", path]);
}

describe("the file of admin tokens", () => {
  it("has one a line, and lets the listener be on any address", async () => {
    const path = await fileWith("0123456789abcdef\r\n\n  another-token._~+/-==  \n");
    const tokens = [
      { token: "0123456789abcdef", access: "write" },
      { token: "another-token._~+/-==", access: "write" },
    ];
    expect(serveWith(path)).toMatchObject({ settings: { admin: { host: "0.0.0.0", tokens } } });
  });

  it("may name a token, and say that it only reads", async () => {
    const text = ["a", "b", "c", "d"].map((letter) => letter.repeat(16));
    const path = await fileWith(
      `${text[0]} ann@ops\n${text[1]}\tprometheus   read\n${text[2]} read\n${text[3]} reader`,
    );
    const tokens = [
      { token: text[0], name: "ann@ops", access: "write" },
      { token: text[1], name: "prometheus", access: "read" },
      { token: text[2], access: "read" },
      { token: text[3], name: "reader", access: "write" },
    ];
    expect(serveWith(path)).toMatchObject({ settings: { admin: { tokens } } });
  });

  it.each([
    ["", "expected at least one token, got an empty one"],
    ["\n \n", "expected at least one token, got an empty one"],
    ["0123456789abcdef\ntoo-short", "got another on line 2"],
    ["has spaces in the middle", "got another on line 1"],
    ["x".repeat(257), "got another on line 1"],
    ["0123456789abcdef ann write", "got another on line 1"],
    ["0123456789abcdef ann read x", "got another on line 1"],
    ["0123456789abcdef ä", "got another on line 1"],
  ])("is refused if it has %j, without showing it", async (text, message) => {
    const path = await fileWith(text);
    expect(() => serveWith(path)).toThrow(message);
    if (text.trim() !== "") expect(() => serveWith(path)).not.toThrow(text.split("\n").at(-1));
  });

  it("has to exist", () => {
    expect(() => serveWith("/nowhere/tokens")).toThrow(
      '--admin-token-file: "/nowhere/tokens": expected a file that this user may read, got ENOENT',
    );
  });
});
