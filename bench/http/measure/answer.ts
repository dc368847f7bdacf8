import { BODY } from "../servers/serve.ts";
import { nameOf, type Variant } from "../variant.ts";

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** In lower case. */
  readonly headers: readonly string[];
}

/**
 * Asks a server once, while it has its ample limit.
 *
 * @throws Error when the answer is not what the variant should give.
 */
export async function checkAnswer(url: string, variant: Variant): Promise<void> {
  const wrong = faultIn(await ask(url), variant);
  if (wrong !== undefined) throw new Error(`${nameOf(variant)}: ${wrong}`);
}

/** What is wrong with an answer to a request that is admitted. */
export function faultIn({ status, body, headers }: Answer, variant: Variant): string | undefined {
  if (status !== 200) return `expected status 200, got ${status}`;
  if (body !== BODY) return `expected the body ${BODY}, got ${body}`;
  const missing = variant.headers.filter((name) => !headers.includes(name));
  if (missing.length > 0) return `expected the headers ${missing.join(", ")}`;
  const others = headers.filter((name) => /rate-?limit/.test(name) && !variant.headers.includes(name));
  return others.length > 0 ? `expected no headers ${others.join(", ")}` : undefined;
}

export async function ask(url: string): Promise<Answer> {
  const response = await fetch(url);
  return { status: response.status, body: await response.text(), headers: [...response.headers.keys()] };
}
