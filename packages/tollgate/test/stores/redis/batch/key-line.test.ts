import { expect, it } from "vitest";
import { KeyLine, type LinedUp } from "../../../../src/stores/redis/batch/key-line.ts";

it("a reset waits for the answers to the calls before it, which may go by another connection", () => {
  const line = new KeyLine<LinedUp>("ann");
  const call = { comesLast: false };
  const reset = { comesLast: true };
  line.push(call);
  line.push(reset);
  expect(line.next).toBe(call);
  line.steps = 1;
  line.works.shift();
  expect(line.next).toBeUndefined();
  line.steps = 0;
  expect(line.next).toBe(reset);
});
