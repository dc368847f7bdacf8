import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { buildSite, DIST } from "./built-site.ts";

beforeAll(buildSite);

describe("the built site", () => {
  it("has no link to a page, a heading or a file that is not there", () => {
    const files = readdirSync(DIST, { recursive: true, encoding: "utf8" });
    const pages = new Map(
      files.filter((file) => file.endsWith(".html")).map((file) => [file, readFileSync(join(DIST, file), "utf8")]),
    );
    expect(pages.size).toBeGreaterThan(70);
    const known = new Set(files.filter((file) => posix.extname(file) !== ""));
    const ids = new Map(
      [...pages].map(([file, html]) => [file, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const leads = (page: string, target: string) => {
      const [path = "", heading] = target.split("#");
      const absolute = path === "" ? page : posix.resolve(posix.dirname(`/${page}`), path).slice(1);
      const file = [absolute, `${absolute}.html`, posix.join(absolute, "index.html")].find((name) => known.has(name));
      if (file === undefined) return false;
      return heading === undefined || heading === "" || ids.get(file)?.has(decodeURIComponent(heading)) === true;
    };
    const dead = [...pages].flatMap(([page, html]) =>
      [...html.matchAll(/<(?:a|img|script|link)\s[^>]*?(?:href|src)="([^"]+)"/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !(/^[a-z]+:/.test(target) || leads(page, target)))
        .map((target) => `${page} ${target}`),
    );
    expect(dead).toEqual([]);
  });
});
