import { expect, it } from "vitest";
import { ShowProgress } from "../../src/replay/show-progress.ts";

/** What is written at these seconds, when a tenth of 400 MB is read in each. */
function written(isTTY: boolean, seconds: readonly number[], bytes = 400e6): string[] {
  const texts: string[] = [];
  let nowMs = 0;
  const progress = new ShowProgress({ isTTY, write: (text) => texts.push(text) }, () => nowMs);
  for (const second of seconds) {
    nowMs = second * 1_000;
    progress.show({ bytesRead: second * 40e6, bytes, requests: second * 200_000 });
  }
  progress.end();
  return texts;
}

const CLEAR = "\r\u001b[K";

it("progress on a terminal is a bar with bytes and the time left, which goes at the end", () => {
  expect(written(true, [0, 1, 1.05, 5, 10])).toEqual([
    `${CLEAR}[##----------------------] 200000 requests, 40 of 400 MB, 9 s left`,
    `${CLEAR}[############------------] 1000000 requests, 200 of 400 MB, 5 s left`,
    `${CLEAR}[########################] 2000000 requests, 400 of 400 MB, 0 s left`,
    CLEAR,
  ]);
});

it("progress elsewhere is a line every ten seconds, without a bar", () => {
  const seconds = Array.from({ length: 26 }, (_, second) => second);
  expect(written(false, seconds, 4_000e6)).toEqual([
    "2000000 requests, 400 of 4000 MB, 90 s left\n",
    "4000000 requests, 800 of 4000 MB, 80 s left\n",
  ]);
  expect(written(false, [9, 10], 0)).toEqual(["2000000 requests, 400 MB\n"]);
});
