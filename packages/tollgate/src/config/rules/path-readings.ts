import { pathOfUrl } from "../../http/http-facts.ts";
import { percentDecoded } from "../../http/identity/header-values.ts";
import { MANY_SEGMENTS, ONE_SEGMENT, type PathReading, type PatternSegment } from "./path-index.ts";

/** What servers read differently: paths without it have one reading. */
const AMBIGUOUS = /%(?:2[5ef]|3b|5c)|[;\\]|\/\/|\/\.\.?(?:\/|$)/i;

/**
 * The readings that servers may have of a path: a client must not avoid a rule by a spelling that the application
 * understands. In each, percent-encoding is decoded and empty segments are left out. The first one leaves least of the
 * path. There are at most 16, and each takes linear time.
 */
export function readingsOf(target: string, ignoreCase: boolean): readonly PathReading[] {
  const path = pathOfUrl(target);
  if (!AMBIGUOUS.test(path)) return [segmentsOf(path, "resolved", ignoreCase)];
  const beforeSemicolon = path.split(";", 1)[0]!;
  const texts = [
    // A proxy decodes, and the application behind it decodes again. IIS takes `\` for a slash.
    withoutParameters(withSeparators(path.replaceAll("%25", "%")).replaceAll("\\", "/")),
    path,
    // Fastify 4 begins the query at a semicolon.
    beforeSemicolon,
    // Tomcat and Jetty.
    withoutParameters(path),
    withSeparators(withoutParameters(path)),
    // nginx and Apache, alone and in front of Tomcat.
    withSeparators(path),
    withoutParameters(withSeparators(path)),
  ];
  const different = new Set([...texts, ...texts.map(pathnameOf)]);
  return [
    ...[...different].map((text) => segmentsOf(text, "resolved", ignoreCase)),
    // Express and Fastify.
    segmentsOf(path, "kept", ignoreCase),
    segmentsOf(beforeSemicolon, "kept", ignoreCase),
  ];
}

export function pathText(reading: PathReading): string {
  return `/${reading.join("/")}`;
}

/** The segments of a pattern. A literal segment is compared as a path's segment is. */
export function patternSegments(pattern: string, ignoreCase: boolean): readonly PatternSegment[] {
  const segments: PatternSegment[] = [];
  for (const raw of pattern.split("/")) {
    if (raw === "*") segments.push(ONE_SEGMENT);
    else if (raw === "**") segments.push(MANY_SEGMENTS);
    else addSegment(segments, raw, "resolved", ignoreCase);
  }
  return segments;
}

/** What happens to `.` and `..`. */
type Dots = "resolved" | "kept";

function segmentsOf(path: string, dots: Dots, ignoreCase: boolean): PathReading {
  const segments: string[] = [];
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    if (end > start) addSegment(segments, path.slice(start, end), dots, ignoreCase);
    start = end + 1;
  }
  return segments;
}

function addSegment(segments: PatternSegment[], raw: string, dots: Dots, ignoreCase: boolean): void {
  const segment = percentDecoded(raw);
  if (segment === "" || (segment === "." && dots === "resolved")) return;
  if (segment === ".." && dots === "resolved") segments.pop();
  else segments.push(ignoreCase ? segment.toLowerCase() : segment);
}

function withSeparators(path: string): string {
  return path.replace(/%2f/gi, "/").replace(/%5c/gi, "\\").replace(/%3b/gi, ";");
}

function withoutParameters(path: string): string {
  return path.replace(/;[^/]*/g, "");
}

/** What `URL` changes: `\` to a slash, `//` before a host, and empty segments that `..` removes. */
const CHANGED_BY_URL = /\\|^\/\/|\/(?:\.|%2e){2}(?:\/|$)/i;

function pathnameOf(path: string): string {
  if (!CHANGED_BY_URL.test(path)) return path;
  try {
    return new URL(path, "http://host").pathname;
  } catch {
    return path;
  }
}
