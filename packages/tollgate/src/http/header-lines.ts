import type { HeaderLines } from "./http-facts.ts";

/** What Node's requests have of it. */
export interface RawRequest {
  /** Names and values in turn. */
  readonly rawHeaders?: readonly string[];
  readonly socket?: { readonly server?: { readonly maxHeadersCount?: number | null } };
}

const DEFAULT_MOST_LINES = 1_000;

/** The lines of a header. Node drops lines beyond its bound without an error. */
export function headerLines({ rawHeaders = [], socket }: RawRequest, name: string): HeaderLines {
  const most = socket?.server?.maxHeadersCount ?? DEFAULT_MOST_LINES;
  if (most > 0 && rawHeaders.length >= 2 * most) return "dropped";
  const lines: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const other = rawHeaders[i]!;
    if (other.length === name.length && other.toLowerCase() === name) lines.push(rawHeaders[i + 1]!);
  }
  return lines;
}
