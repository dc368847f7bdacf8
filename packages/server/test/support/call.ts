import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request over a connection of its own, unless the options say otherwise. */
export async function call(
  url: string,
  { body, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<Answer> {
  const sent = request(url, { agent: false, ...options });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** The statuses of so many calls, one after the other. */
export async function statuses(count: number, url: string, options: RequestOptions = {}): Promise<unknown[]> {
  const seen: unknown[] = [];
  while (seen.length < count) seen.push((await call(url, options)).status);
  return seen;
}
