import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runNode } from "../support/run.ts";
import { REPOSITORY } from "./code-blocks.ts";
import { Upstream } from "./upstreams.ts";
import { compileProjects, createUserProject } from "./user-project.ts";

const PAGES = 8;
const PAGES_PER_SECOND = 4;

const root = await createUserProject();
cpSync(join(REPOSITORY, "examples", "crawler"), join(root, "crawler"), { recursive: true });
await compileProjects([join(root, "crawler")]);

const hosts: Upstream[] = [];
afterEach(() => {
  for (const host of hosts.splice(0)) host.stop();
});

/** A host of pages that link to each other and to a page of another host. It denies its second request once. */
async function startHost(elsewhere: string) {
  const asked: { readonly path: string; readonly atMs: number }[] = [];
  const host = await Upstream.start((request, response) => {
    asked.push({ path: request.url ?? "", atMs: performance.now() });
    if (asked.length === 2) {
      response.writeHead(429, { "Retry-After": "2" }).end();
      return;
    }
    const links = Array.from({ length: PAGES }, (_, i) => `<a href="/${i}#part">page</a>`).join("");
    const html = `<a class="other" href="${elsewhere}">other</a><a href="mailto:ann@host.example">mail</a>${links}`;
    response.writeHead(200, { "Content-Type": "text/html" }).end(html);
  });
  hosts.push(host);
  return { url: host.url, asked };
}

describe("examples/crawler", () => {
  it("visits every page once, paced per host, and waits when a host asks for it", async () => {
    const other = await Upstream.start((_, response) => void response.end("text"));
    hosts.push(other);
    const { url, asked } = await startHost(other.url);
    const env = { ...process.env, PAGES_PER_SECOND: String(PAGES_PER_SECOND), MOST_PAGES: "50" };
    const { stdout, stderr } = await runNode(join(root, "crawler"), ["dist/crawl.js", url], env);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toBe(`${PAGES + 2} pages`);
    const pages = [other.url, url, ...Array.from({ length: PAGES }, (_, i) => `${url}${i}`)];
    expect(lines.slice(0, -1).sort()).toEqual(pages.map((page) => `200 ${page}`).sort());

    const gaps = asked.slice(1).map(({ atMs }, i) => atMs - asked[i]!.atMs);
    // The denied request was sent again after two seconds. All others were held up until then, except one that may
    // have been under way.
    expect(Math.max(...gaps)).toBeGreaterThan(1_500);
    // A timer may come late, which makes the next gap shorter.
    const spanMs = asked.at(-1)!.atMs - asked[0]!.atMs;
    expect(spanMs).toBeGreaterThan((1_000 / PAGES_PER_SECOND) * (asked.length - 3) + 1_500);
  });
});
