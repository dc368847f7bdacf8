import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { pictures } from "../../site/pictures/draw.ts";

const FOLDER = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

let drawn: ReadonlyMap<string, string>;
beforeAll(async () => {
  drawn = await pictures();
});

describe("the pictures of the documents", () => {
  it("are what `npx tsx site/pictures/write.ts` draws from the library's answers", () => {
    expect(readdirSync(FOLDER).toSorted()).toEqual([...drawn.keys()].toSorted());
    for (const [name, picture] of drawn) expect(readFileSync(`${FOLDER}${name}`, "utf8")).toBe(picture);
  });

  it("have colours for dark pages, a label, and the figures that the documents tell", () => {
    for (const picture of drawn.values()) {
      expect(picture).toContain("@media (prefers-color-scheme: dark)");
      expect(picture).toMatch(/role="img" aria-label="[^"]+"/);
    }
    expect(drawn.get("bucket-and-windows.svg")).toContain("fixed window: 20 of 20 within two seconds");
    expect(drawn.get("where-a-count-lives.svg")).toContain("shared memory: 10 of 20 calls pass");
    expect(drawn.get("outage.svg")).toContain("3 of 20");
  });
});
