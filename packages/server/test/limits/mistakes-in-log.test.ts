import { describe, expect, it, vi } from "vitest";
import { limitsFile } from "../support/limits-file.ts";
import { startTestService } from "../support/test-service.ts";

const rule = (keys: string): string =>
  `version: 1\ndomains:\n  api:\n    limits:\n      key: { by: header.x-api-key, rate: 9/1m, keys: ${keys} }\n`;

const WRONG: readonly string[] = [
  "{ sk-live-1: { rat: 1/1m } }",
  "{ sk-live-1: 3 }",
  '{ "a: expected sk-live-1": { rate: 5 } }',
  '{ "sk-live-1.rate x": { rate: 5 } }',
  "{ sk-live-1: { rate: 1/1m }, sk-live-1: deny }",
];

describe("the log of files that were refused", () => {
  it.each(WRONG)("has the place of a mistake in keys: %s, and no key", async (keys) => {
    const { application, write } = await limitsFile(rule("{ sk-live-1: deny }"));
    const { errors } = await startTestService({ application });
    await write(rule(keys));
    await vi.waitFor(() => expect(errors).toHaveLength(2), { timeout: 20_000 });
    expect(errors[1]).toMatch(/limits\.yaml:5:\d+: domains\.api\.limits\.key\.keys: expected /);
    expect(errors.join()).not.toContain("sk-live");
  });

  it("has no key when the service starts, either", async () => {
    const { application } = await limitsFile(rule("{ sk-live-1: 3 }"));
    const started = startTestService({ application });
    await expect(started).rejects.toThrow(/:5:\d+: domains\.api\.limits\.key\.keys: expected limits such as/);
    await expect(started).rejects.not.toThrow("sk-live");
  });
});
