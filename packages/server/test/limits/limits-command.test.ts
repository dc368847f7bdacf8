import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile, plant } from "../../../../test/support/temporary-folder.ts";
import { UsageError } from "../../src/command/usage-error.ts";
import { runLimitsCommand } from "../../src/limits/commands/limits-command.ts";

const LIMITS = `version: 1
trustedHeaders: [x-plan]
domains:
  api:
    limits:
      client: { by: ip, rate: 10/1s, burst: 20, quota: 10000/1d }
      login: { match: { method: POST, path: /login }, by: ip, within: 5/15m }
      key:
        by: header.x-api-key
        rate: { tokens: 60/1m }
        cost: { tokens: header.x-tokens }
        plans: { from: header.x-plan, is: { pro: unlimited } }
        keys: { leaked: deny }
        mode: shadow
  edge:
    limits:
      address: { match: { descriptor: { kind: public } }, by: descriptor.address, quota: 1/1m }
      all: { rate: 1/1s }
`;

const folder = folderOfFile();
plant(folder, {
  "limits.yaml": LIMITS,
  "wrong.yaml": "version: 1\ndomains:\n  api: { limits: { r: { rat: 5 } } }\n",
});

function run(...args: readonly string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const exitCode = runLimitsCommand(
    args.map((arg) => (/^\w+\.yaml$/.test(arg) ? join(folder, arg) : arg)),
    { print: (line) => void out.push(line), printError: (line) => void errors.push(line.replace(`${folder}/`, "")) },
  );
  return { exitCode, out: out.map((line) => line.replace(`${folder}/`, "")), errors };
}

describe("tollgate check", () => {
  it("says what is in a file", () => {
    expect(run("check", "limits.yaml")).toEqual({
      exitCode: 0,
      out: ["limits.yaml: 5 rules in 2 domains"],
      errors: [],
    });
  });

  it("says what is wrong, with file, line and column", () => {
    expect(run("check", "limits.yaml", "wrong.yaml", "absent.yaml")).toEqual({
      exitCode: 1,
      out: ["limits.yaml: 5 rules in 2 domains"],
      errors: [
        expect.stringMatching(
          /^wrong\.yaml:3:25: domains\.api\.limits\.r: expected one of the words .*, got "rat"; did you mean "rate"\?$/,
        ),
        "absent.yaml: expected a file that can be read, got ENOENT",
      ] as unknown,
    });
  });
});

describe("tollgate explain", () => {
  it("says which rules match, the key of each, and why the others do not", () => {
    const request = [
      "--request",
      "GET /login",
      "--ip",
      "2001:db8::1",
      "--header",
      "X-API-Key: k-1",
      "--header",
      "x-tokens:9",
    ];
    expect(run("explain", "limits.yaml", ...request).out).toEqual([
      'api client  matches: key "2001:db8::/64" (ip); client.rate at most 20, client.quota at most 10000',
      'api login   does not match: method: expected "POST", got "GET"',
      'api key     matches: key "k-1" (header.x-api-key); key.rate.tokens at most 60; cost {"tokens":9}; shadow',
    ]);
    expect(run("explain", "limits.yaml", "--header", "x-api-key: leaked").out.at(-1)).toBe(
      'api key     matches: key "leaked" (header.x-api-key); unlimited; chosen by the key "leaked"; shadow',
    );
    expect(run("explain", "limits.yaml", "--domain", "edge", "--descriptor", "kind=public").out).toEqual([
      "edge address  does not match: by: expected descriptor.address, got nothing",
      'edge all      matches: key "all" (all requests); all.rate at most 1',
    ]);
  });

  it("exits with 1 for a file that is wrong", () => {
    expect(run("explain", "wrong.yaml")).toMatchObject({ exitCode: 1, out: [] });
  });
});

describe("the commands for limits files", () => {
  it.each([
    [["check"], "check: expected a file, got none"],
    [["check", "--fast"], 'check: expected files, got "--fast"'],
    [["explain"], "explain: expected a file, got none"],
    [["explain", "a.yaml", "b"], 'explain: expected one file, got "b" too'],
    [
      ["explain", "limits.yaml", "--reqest", "x"],
      'expected one of --domain, --request, --ip, --host, --header, --descriptor, got "--reqest"',
    ],
    [
      ["explain", "limits.yaml", "--request", "GET"],
      "--request: expected a method and a path, such as 'GET /', got \"GET\"",
    ],
    [["explain", "limits.yaml", "--header", "a"], "--header: expected 'name: value', got \"a\""],
    [["explain", "limits.yaml", "--descriptor", "=a"], '--descriptor: expected key=value, got "=a"'],
    [["explain", "limits.yaml", "--domain", "apis"], '--domain: expected one of api, edge, got "apis"'],
  ])("refuse other arguments: %j", (args, message) => {
    expect(() => run(...args)).toThrow(UsageError);
    expect(() => run(...args)).toThrow(message);
  });

  it("leave other commands alone", () => {
    expect(runLimitsCommand(["serve"], { print: () => {}, printError: () => {} })).toBeUndefined();
  });
});
