import { pathOfUrl } from "../../http/http-facts.ts";
import { MANY_SEGMENTS, ONE_SEGMENT, type PathReading, type PatternSegment } from "./path-index.ts";

/** What servers read differently: paths without it have one reading. */
const AMBIGUOUS = /%(?:2[5ef]|3b|5c)|[;\\]|\/\/|\/\.\.?(?:\/|$)/i;

/** A longer path that is ambiguous has only its first reading: all of them would take milliseconds. */
const LONGEST_AMBIGUOUS = 4_096;

/** What servers may make of a path. */
export interface ReadPath {
  /** The first one leaves least of the path. There are at most 16. */
  readonly readings: readonly PathReading[];
  /** Whether servers may have other readings, too, or a search has found no time to compare these. */
  isLong: boolean;
}

/** The path is not known. */
export const NO_PATH: ReadPath = { readings: [], isLong: false };

/**
 * The readings that servers may have of a path: a client must not avoid a rule by a spelling that the application
 * understands. In each, percent-encoding is decoded and empty segments are left out. Each takes linear time.
 */
export function readPath(target: string, ignoreCase: boolean): ReadPath {
  const path = pathOfUrl(target);
  const isAmbiguous = AMBIGUOUS.test(path);
  const isLong = isAmbiguous && path.length > LONGEST_AMBIGUOUS;
  const texts = isLong ? [leastOf(path)] : isAmbiguous ? textsOf(path) : [path];
  const readings = texts.map((text) => segmentsOf(text, "resolved", ignoreCase));
  if (isAmbiguous && !isLong) {
    // Express and Fastify.
    readings.push(segmentsOf(path, "kept", ignoreCase), segmentsOf(beforeSemicolon(path), "kept", ignoreCase));
  }
  return { readings, isLong };
}

/** A proxy decodes, and the application behind it decodes again. IIS takes `\` for a slash. */
function leastOf(path: string): string {
  return withoutParameters(withSeparators(path.replaceAll("%25", "%")).replaceAll("\\", "/"));
}

/** What remains of a path to be split at slashes. */
function textsOf(path: string): readonly string[] {
  const texts = [
    leastOf(path),
    path,
    beforeSemicolon(path),
    // Tomcat and Jetty.
    withoutParameters(path),
    withSeparators(withoutParameters(path)),
    // nginx and Apache, alone and in front of Tomcat.
    withSeparators(path),
    withoutParameters(withSeparators(path)),
  ];
  return [...new Set([...texts, ...texts.map(pathnameOf)])];
}

/** Fastify 4 begins the query at a semicolon. */
function beforeSemicolon(path: string): string {
  return path.split(";", 1)[0]!;
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

/** The percent-encoded bytes of a character in UTF-8 (RFC 3629). */
const CHARACTER =
  /%(?:[0-7]|(?:c[2-9a-f]|d[\da-f]|(?:e(?:0%[ab]|d%[89]|[1-9a-cef]%[89ab])|f(?:0%[9ab]|4%8|[1-3]%[89ab])[\da-f]%[89ab])[\da-f])%[89ab])[\da-f]/gi;

/** Malformed encoding stays as it is. It is found without exceptions: 5,000 of them take 100 ms. */
export function decoded(segment: string): string {
  const isEncoded = segment.includes("%") && !segment.replace(CHARACTER, "").includes("%");
  return isEncoded ? decodeURIComponent(segment) : segment;
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
  const segment = decoded(raw);
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
