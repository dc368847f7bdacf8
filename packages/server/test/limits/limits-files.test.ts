import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Compiled, LimitsFiles } from "../../src/limits/limits-files.ts";
import { limitsFile } from "../support/limits-file.ts";

/** Files whose text is the value, and whose later readings end when the test says so. */
async function open() {
  const file = await limitsFile("first");
  const taken: string[] = [];
  const logged: string[] = [];
  const readings: { readonly text: string; readonly end: (compiled: Compiled<string>) => void; fail(): void }[] = [];
  const files = await LimitsFiles.open<string>({
    path: file.path,
    compile: ([one]) => ({ value: one?.text ?? "" }),
    recompile: ([one]) =>
      new Promise((resolve, reject) => {
        readings.push({ text: one?.text ?? "", end: resolve, fail: () => reject(new Error("no thread")) });
      }),
    replace: (value) => void taken.push(value),
    log: ({ event }) => void logged.push(event),
  });
  onTestFinished(() => files.close());
  const change = async (text: string) => {
    await file.write(text);
    await vi.waitFor(() => expect(readings.at(-1)?.text).toBe(text), { timeout: 10_000 });
  };
  return { files, taken, logged, readings, change };
}

describe("limits files that change while they are read", () => {
  it("are those of the last change, whichever reading ends last", async () => {
    const { files, taken, readings, change } = await open();
    await change("second");
    await change("third");
    readings[1]?.end({ value: "third" });
    readings[0]?.end({ value: "second" });
    await vi.waitFor(() => expect(taken).toEqual(["third"]));
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toEqual(["third"]);
    expect(files.status).toMatchObject({ state: "loaded", loads: 2, refusals: 0 });
  });

  it("are kept if they cannot be read", async () => {
    const { files, taken, logged, readings, change } = await open();
    await change("second");
    readings[0]?.fail();
    await vi.waitFor(() => expect(logged).toContain("limits-refused"));
    expect(taken).toEqual([]);
    expect(files.status).toMatchObject({ state: "kept", refusals: 1 });
    await change("third");
    readings[1]?.end({ value: "third" });
    await vi.waitFor(() => expect(files.status).toMatchObject({ state: "loaded" }));
  });

  it("are not taken once the service has closed", async () => {
    const { files, taken, readings, change } = await open();
    await change("second");
    files.close();
    readings[0]?.end({ value: "second" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toEqual([]);
  });
});
