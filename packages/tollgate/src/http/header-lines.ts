/** What Node's requests have of it. */
export interface RawRequest {
  /** Names and values in turn. */
  readonly rawHeaders?: readonly string[];
  readonly socket?: { readonly server?: { readonly maxHeadersCount?: number | null } };
}

const DEFAULT_MOST_LINES = 1_000;

/** How many lines a header has. `Infinity` if Node may have dropped lines, which it does without an error. */
export function headerLines({ rawHeaders = [], socket }: RawRequest, name: string): number {
  const most = socket?.server?.maxHeadersCount ?? DEFAULT_MOST_LINES;
  if (most > 0 && rawHeaders.length >= 2 * most) return Number.POSITIVE_INFINITY;
  let lines = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const other = rawHeaders[i]!;
    if (other.length === name.length && other.toLowerCase() === name) lines += 1;
  }
  return lines;
}
