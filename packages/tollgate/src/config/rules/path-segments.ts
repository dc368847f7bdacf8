import { pathOfUrl } from "../../http/http-facts.ts";
import { MANY_SEGMENTS, ONE_SEGMENT, type PatternSegment } from "./path-index.ts";

/**
 * The segments of a path, as rules compare them: percent-encoding decoded, empty segments and `.` left out, `..`
 * resolved. Servers differ in these, and a client must not avoid a rule by another spelling. Takes linear time.
 */
export function segmentsOf(target: string, ignoreCase: boolean): readonly string[] {
  const segments: string[] = [];
  const path = pathOfUrl(target);
  for (let start = 0; start <= path.length; ) {
    const slash = path.indexOf("/", start);
    const end = slash < 0 ? path.length : slash;
    if (end > start) addSegment(segments, path.slice(start, end), ignoreCase);
    start = end + 1;
  }
  return segments;
}

/** The segments of a pattern. A literal segment is compared as a path's segment is. */
export function patternSegments(pattern: string, ignoreCase: boolean): readonly PatternSegment[] {
  const segments: PatternSegment[] = [];
  for (const raw of pattern.split("/")) {
    if (raw === "*") segments.push(ONE_SEGMENT);
    else if (raw === "**") segments.push(MANY_SEGMENTS);
    else if (raw !== "") addSegment(segments, raw, ignoreCase);
  }
  return segments;
}

function addSegment(segments: PatternSegment[], raw: string, ignoreCase: boolean): void {
  const segment = raw.includes("%") ? decoded(raw) : raw;
  if (segment === ".") return;
  if (segment === "..") segments.pop();
  else segments.push(ignoreCase ? segment.toLowerCase() : segment);
}

/** Malformed encoding stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
