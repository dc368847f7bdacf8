import { describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { LIMITS, READER, startOperated } from "./operate.ts";

const ANN = { ip: "192.0.2.1" };
const YAML = { "content-type": "application/yaml" };
const STRICT = "version: 1\ndomains:\n  api:\n    limits:\n      client: { by: ip, rate: 2/1m }\n";

const SECRETS = `
version: 1
trustedHeaders: [x-api-key, x-plan]
domains:
  api:
    limits:
      one:
        match:
          method: GET
          path: /a/*
          ip: private
          header.x-api-key: secret-1
          cookie.session: ["*", secret-1]
          query.token: secret-1
          descriptor: { token: secret-1, address: 192.0.2.1 }
        by: header.x-api-key
        rate: 5/1m
        plans: { from: header.x-api-key, is: { secret-1: { rate: 1/1m } } }
      two: { by: ip, rate: 5/1m, plans: { from: header.x-plan, is: { pro: unlimited } } }
`;

describe("the limits in force", () => {
  it("are told with their version, which their content decides", async () => {
    const { operate } = await startOperated();
    const first = await operate("GET", "/v1/limits");
    expect(first.body).toEqual(parse(LIMITS));
    expect(first.headers.get("etag")).toMatch(/^"[\da-f]{16}"$/);
    const other = await startOperated(`# a comment\n${LIMITS}`);
    expect((await other.operate("GET", "/v1/limits")).headers.get("etag")).toBe(first.headers.get("etag"));
    const changed = await startOperated(LIMITS.replace("3/1m", "4/1m"));
    expect((await changed.operate("GET", "/v1/limits")).headers.get("etag")).not.toBe(first.headers.get("etag"));
  });

  it("are in /rlconfig, without the keys that they name, but with addresses", async () => {
    const { operate } = await startOperated(LIMITS.replace("rate: 3/1m", "rate: 3/1m, keys: { 192.0.2.9: deny }"));
    const { body } = await operate("GET", "/rlconfig");
    expect(body).toMatchObject({ source: "files", loadedAt: "2026-11-23T12:00:00.000Z", overrides: [] });
    const text = JSON.stringify(body);
    expect(text).toContain('"rate":"3/1m","keys":{"192.0.2.9":"deny"}');
    expect(text).not.toContain("secret-1");
    // printf %s secret-1 | sha256sum
    expect(text).toContain('"key-f7e7c36e458e":{"rate":"1/1m"}');
  });

  it("have no keys in clear for a token that may only read", async () => {
    const { operate } = await startOperated();
    const read = await operate("GET", "/v1/limits", undefined, { authorization: `Bearer ${READER}` });
    expect(JSON.stringify(read.body)).not.toContain("secret-1");
    expect(JSON.stringify(read.body)).toContain('"key-f7e7c36e458e":{"rate":"1/1m"}');
    expect(read.headers.get("etag")).toBe((await operate("GET", "/v1/limits")).headers.get("etag"));
  });

  it("have no value of a client in clear for a token that may only read, and paths and methods as they are", async () => {
    const { operate } = await startOperated(SECRETS);
    const reader = { authorization: `Bearer ${READER}` };
    const { body } = await operate("GET", "/v1/limits", undefined, reader);
    expect(JSON.stringify(body)).not.toContain("secret");
    const { one, two } = (body as { domains: { api: { limits: Record<string, object> } } }).domains.api.limits;
    // printf %s secret-1 | sha256sum
    const hidden = "key-f7e7c36e458e";
    expect(one).toMatchObject({
      match: {
        method: "GET",
        path: "/a/*",
        ip: "private",
        "header.x-api-key": hidden,
        "cookie.session": ["*", hidden],
        "query.token": hidden,
        descriptor: { token: hidden, address: "192.0.2.1" },
      },
      plans: { is: { [hidden]: { rate: "1/1m" } } },
    });
    expect(two).toMatchObject({ plans: { is: { pro: "unlimited" } } });
    expect((await operate("GET", "/rlconfig")).body).toMatchObject({ limits: body });
    expect(JSON.stringify((await operate("GET", "/v1/limits")).body)).toContain("secret-1");
  });

  it("are replaced as a whole by PUT, and keys keep what they have used", async () => {
    const { operate, decide, audited } = await startOperated();
    await decide({ facts: ANN });
    const before = (await operate("GET", "/v1/limits")).headers.get("etag") ?? "";
    const put = await operate("PUT", "/v1/limits", STRICT, { ...YAML, "if-match": before });
    expect(put).toMatchObject({ status: 200, body: { source: "operator" } });
    expect(put.headers.get("etag")).toBe(`"${String(put.body["version"])}"`);
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: true, remaining: 0 });
    expect(await decide({ facts: ANN })).toMatchObject({ allowed: false });
    expect((await operate("GET", "/v1/limits")).body).toEqual(parse(STRICT));
    expect(audited()).toEqual([
      {
        who: "ann",
        action: "limits.put",
        request_id: put.headers.get("x-request-id"),
        version_before: before.slice(1, -1),
        version: put.body["version"],
      },
    ]);
  });

  it("stay if they are not the version that the change replaces", async () => {
    const { operate, audited } = await startOperated();
    const { headers, body } = await operate("GET", "/v1/limits");
    const etag = headers.get("etag") ?? "";
    const put = (ifMatch: Readonly<Record<string, string>>) =>
      operate("PUT", "/v1/limits", STRICT, { ...YAML, ...ifMatch });
    expect(await put({})).toMatchObject({ status: 428, body: { version: etag.slice(1, -1) } });
    for (const other of ['"0000000000000000"', `W/${etag}`, '"a", "b"', '""']) {
      const answer = await put({ "if-match": other });
      expect([other, answer.status, answer.headers.get("etag")]).toEqual([other, 412, etag]);
    }
    for (const nonsense of ["", "abc", '"a', '"a" "b"', `${etag}, *`]) {
      expect([nonsense, (await put({ "if-match": nonsense })).status]).toEqual([nonsense, 400]);
    }
    expect((await operate("GET", "/v1/limits")).body).toEqual(body);
    expect(audited()).toEqual([]);
    expect(await put({ "if-match": `"a", ${etag}` })).toMatchObject({ status: 200 });
    expect(await put({ "if-match": etag })).toMatchObject({ status: 412 });
  });

  it("stay if one of two changes of the same version has come first", async () => {
    const { operate } = await startOperated();
    const etag = (await operate("GET", "/v1/limits")).headers.get("etag") ?? "";
    const texts = [2, 4, 5, 6, 7].map((count) => STRICT.replace("2/1m", `${count}/1m`));
    const answers = await Promise.all(
      texts.map((text) => operate("PUT", "/v1/limits", text, { ...YAML, "if-match": etag })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412, 412, 412, 412]);
  });

  it("stay if there is a mistake, and every mistake is told", async () => {
    const { operate, audited } = await startOperated();
    const { body } = await operate("GET", "/v1/limits");
    const wrong = "version: 1\ndomains:\n  api:\n    limits:\n      a: { by: ip, rat: 1/1m }\n      b: 3\n";
    const answer = await operate("PUT", "/v1/limits", wrong, { ...YAML, "if-match": "*" });
    expect(answer.status).toBe(422);
    expect(answer.body["mistakes"]).toMatchObject([
      { line: 5, column: 20, message: expect.stringContaining('did you mean "rate"?') },
      { line: 6, column: 10 },
    ]);
    expect(answer.body["error"]).toMatch(/^limits\.yaml:5:20: .*\nlimits\.yaml:6:10: /);
    expect((await operate("GET", "/v1/limits")).body).toEqual(body);
    expect(audited()).toEqual([]);
  });

  it("are read in another thread if they are long, one text at a time", async () => {
    const { operate } = await startOperated();
    const rule = (i: number) => `      r${i}: { match: { path: /v1/${i} }, by: ip, rate: 9/1m }\n`;
    const long = STRICT + Array.from({ length: 400 }, (_, i) => rule(i)).join("");
    const puts = [1, 2].map(() => operate("PUT", "/v1/limits", long, { ...YAML, "if-match": "*" }));
    const answers = await Promise.all(puts);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 503]);
    expect((await operate("GET", "/v1/limits")).body).toEqual(parse(long));
    const wrong = `${long}      last: { by: ip, rat: 1/1m }\n`;
    const answer = await operate("PUT", "/v1/limits", wrong, { ...YAML, "if-match": "*" });
    expect(answer).toMatchObject({ status: 422, body: { mistakes: [{ line: 406, column: 23 }] } });
    expect((await operate("PUT", "/v1/limits", long, { ...YAML, "if-match": "*" })).status).toBe(200);
  });

  it("have to have the domain that decides /check", async () => {
    const { operate } = await startOperated();
    const answer = await operate("PUT", "/v1/limits", STRICT.replace("api:", "app:"), { ...YAML, "if-match": "*" });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        mistakes: [{ line: 1, message: expect.stringContaining('expected "api", which decides /check, got "') }],
      },
    });
  });

  it("are those of the files again when an operator says so, or the files change", async () => {
    const { operate, decide, write, audited, reload, log } = await startOperated();
    const put = () => operate("PUT", "/v1/limits", STRICT, { ...YAML, "if-match": "*" });
    await put();
    const back = await operate("DELETE", "/v1/limits", undefined, { "if-match": "*" });
    expect(back).toMatchObject({ status: 200, body: { source: "files" } });
    expect((await operate("GET", "/v1/limits")).body).toEqual(parse(LIMITS));
    await put();
    await write(LIMITS.replace("3/1m", "7/1m"));
    await vi.waitFor(() => expect(audited().map(({ who }) => who)).toContain("files"));
    expect(await decide({ facts: ANN })).toMatchObject({ remaining: 6 });
    expect(audited().map(({ who, action }) => [who, action])).toEqual([
      ["ann", "limits.put"],
      ["ann", "limits.return"],
      ["ann", "limits.put"],
      ["files", "limits.load"],
    ]);
    await put();
    await operate("DELETE", "/v1/limits", undefined, { "if-match": "*" });
    expect((await operate("GET", "/v1/limits")).body).toEqual(parse(LIMITS.replace("3/1m", "7/1m")));
    // SIGHUP reads the files, whether or not they have changed.
    await put();
    const loads = () => log.filter((line) => line.includes("limits-loaded")).length;
    const before = loads();
    reload();
    await vi.waitFor(() => expect(loads()).toBe(before + 1));
    expect((await operate("GET", "/rlconfig")).body["source"]).toBe("files");
  });

  it("stay those of an operator when the files have mistakes", async () => {
    const { operate, write, errors } = await startOperated();
    await operate("PUT", "/v1/limits", STRICT, { ...YAML, "if-match": "*" });
    await write("version: 2\n");
    await vi.waitFor(() => expect(errors.join("")).toContain("limits-refused"));
    expect((await operate("GET", "/v1/limits")).body).toEqual(parse(STRICT));
    expect((await operate("GET", "/healthz")).body).toMatchObject({ limits: { state: "kept", source: "operator" } });
  });

  it("tell in health and metrics that they are an operator's", async () => {
    const { operate, adminUrl } = await startOperated();
    const metrics = async () => {
      const response = await fetch(`${adminUrl}/metrics`, { headers: { authorization: `Bearer ${READER}` } });
      return (await response.text()).split("\n");
    };
    expect(await metrics()).toContain("tollgate_limits_from_operator 0");
    const { body } = await operate("PUT", "/v1/limits", STRICT, { ...YAML, "if-match": "*" });
    expect(await metrics()).toContain("tollgate_limits_from_operator 1");
    expect((await operate("GET", "/healthz")).body).toMatchObject({
      limits: { state: "loaded", version: body["version"], source: "operator", overrides: 0 },
    });
  });
});
