import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type FileText, readTexts } from "../../src/files/read-texts.ts";
import { TextWatcher } from "../../src/files/watch-texts.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Watches a path without the slow check, and collects what it passes on. */
async function watch(path: string, intervalMs = 3_600_000) {
  const seen: (readonly FileText[])[] = [];
  const errors: string[] = [];
  const watched = new TextWatcher({
    path,
    known: await readTexts(path),
    onChange: (texts) => void seen.push(texts),
    onError: (error) => void errors.push(String(error)),
    quietMs: 5,
    intervalMs,
  });
  onTestFinished(() => watched.close());
  return { watched, errors, texts: () => seen.map((texts) => texts.map(({ text }) => text).join("+")) };
}

describe("files that are watched", () => {
  it("are read again when one is written, and not when its text is the same", async () => {
    const file = join(await temporaryFolder(), "limits.yaml");
    await writeFile(file, "one");
    const { texts } = await watch(file);
    await writeFile(file, "one");
    await writeFile(file, "two");
    await vi.waitFor(() => expect(texts().at(-1)).toBe("two"));
    await writeFile(file, "three");
    await vi.waitFor(() => expect(texts().at(-1)).toBe("three"));
    expect(texts()).not.toContain("one");
  });

  it("may be replaced by a rename, as editors do, again and again", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "limits.yaml");
    await writeFile(file, "0");
    const { texts } = await watch(file);
    for (const text of ["1", "2", "3"]) {
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file);
      await vi.waitFor(() => expect(texts().at(-1)).toBe(text));
    }
  });

  it("may be replaced by a symbolic link, as Kubernetes does, again and again", async () => {
    const folder = await temporaryFolder();
    const version = async (text: string): Promise<void> => {
      await mkdir(join(folder, `..${text}`));
      await writeFile(join(folder, `..${text}`, "limits.yaml"), text);
      await symlink(`..${text}`, join(folder, "..data-new"));
      await rename(join(folder, "..data-new"), join(folder, "..data"));
    };
    await version("0");
    await symlink(join("..data", "limits.yaml"), join(folder, "limits.yaml"));
    const { texts } = await watch(join(folder, "limits.yaml"));
    for (const text of ["1", "2", "3"]) {
      await version(text);
      await vi.waitFor(() => expect(texts().at(-1)).toBe(text));
    }
  });

  it("of a directory are read in the order of their names, without hidden ones and other kinds", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "b.yml"), "b");
    await writeFile(join(folder, "a.yaml"), "a");
    await writeFile(join(folder, ".hidden.yaml"), "x");
    await writeFile(join(folder, "notes.txt"), "x");
    const { texts } = await watch(folder);
    await writeFile(join(folder, "c.json"), "c");
    await vi.waitFor(() => expect(texts().at(-1)).toBe("a+b+c"));
  });

  it("that vanish are told once, and are read when they are back", async () => {
    const file = join(await temporaryFolder(), "limits.yaml");
    await writeFile(file, "one");
    const { texts, errors } = await watch(file, 20);
    await rm(file);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect(errors[0]).toMatch(/limits\.yaml: expected a file or a directory that can be read, got ENOENT$/);
    await writeFile(file, "two");
    await vi.waitFor(() => expect(texts().at(-1)).toBe("two"));
    expect(errors).toHaveLength(1);
  });

  it("that vanish are passed on when they are back, also with the same text", async () => {
    const file = join(await temporaryFolder(), "limits.yaml");
    await writeFile(file, "one");
    const { texts, errors } = await watch(file, 20);
    await rm(file);
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    await writeFile(file, "one");
    await vi.waitFor(() => expect(texts()).toEqual(["one"]));
  });

  it("are taken when a slow writer has finished, never by halves", async () => {
    const file = join(await temporaryFolder(), "limits.yaml");
    await writeFile(file, "one");
    const { texts } = await watch(file, 7);
    const parts = ["two", " and", " a", " half"];
    await writeFile(file, "");
    for (const part of parts) {
      await appendFile(file, part);
      await setTimeout(15);
    }
    await vi.waitFor(() => expect(texts()).toEqual([parts.join("")]));
  });

  it("are read on demand, also without a change", async () => {
    const file = join(await temporaryFolder(), "limits.yaml");
    await writeFile(file, "one");
    const { texts, watched } = await watch(file);
    watched.check();
    await vi.waitFor(() => expect(texts()).toEqual(["one"]));
    watched.close();
    watched.check();
  });
});

describe("files that are read", () => {
  it("are no pipes, which would wait for a writer", async () => {
    const folder = await temporaryFolder();
    const pipe = join(folder, "limits.yaml");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, folder]) await expect(readTexts(path)).rejects.toThrow("limits.yaml: expected a file");
  });

  it("have bounded size", async () => {
    const file = join(await temporaryFolder(), "limits.yaml");
    await writeFile(file, Buffer.alloc(17 * 1024 * 1024));
    await expect(readTexts(file)).rejects.toThrow(/limits\.yaml: expected at most 16777216 bytes in all files/);
  });
});
