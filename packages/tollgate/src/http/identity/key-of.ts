import type { HttpFacts } from "../facts.ts";

/** Names who is calling. */
export type KeyOf = (facts: HttpFacts) => string;
