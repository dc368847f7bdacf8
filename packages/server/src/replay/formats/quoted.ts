import type { Details } from "./entry.ts";

/** The texts in quotes of a line, at most `count`. A backslash escapes a quote. */
export function quotedFrom(line: string, count: number): string[] {
  const texts: string[] = [];
  let from = line.indexOf('"') + 1;
  while (from > 0 && texts.length < count) {
    let end = line.indexOf('"', from);
    while (end > 0 && line[end - 1] === "\\") end = line.indexOf('"', end + 1);
    if (end < 0) break;
    texts.push(line.slice(from, end));
    from = line.indexOf('"', end + 1) + 1;
  }
  return texts;
}

/** `GET /path HTTP/1.1`. What is not like it, such as the bytes of a TLS handshake, has neither method nor path. */
export function requestOf(text: string): Pick<Details, "method" | "path"> {
  const [method = "", path] = text.split(" ", 2);
  return path === undefined ? { method: "", path: "" } : { method, path };
}
