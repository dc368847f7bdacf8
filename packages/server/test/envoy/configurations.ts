import { expect } from "vitest";
import { type Configuration, compileWords, readWords } from "../../src/envoy/configuration.ts";
import { mistakeLine } from "../../src/limits/mistake.ts";

/** The configuration of a text without mistakes. */
export function configurationOf(...texts: string[]): Configuration {
  const result = readWords(texts.map((text, i) => ({ file: `limits-${i}.yaml`, text })));
  expect(result.mistakes).toBeUndefined();
  return compileWords(result.value ?? []);
}

/** The lines of a text's mistakes. */
export function mistakesOf(...texts: string[]): string[] {
  const result = readWords(texts.map((text, i) => ({ file: `limits-${i}.yaml`, text })));
  return (result.mistakes ?? []).map(mistakeLine);
}
