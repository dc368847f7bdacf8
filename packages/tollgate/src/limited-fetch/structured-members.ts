/** One member of a structured list or dictionary, with its values as the server wrote them. */
export interface Member {
  /** `undefined` in a list. */
  readonly key: string | undefined;
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Longer lists are cut, because what a server sends must not cost more than this. */
export const MOST_MEMBERS = 16;

const KEY = "[a-z*][a-z0-9_.*-]*";
const BARE_ITEM = [
  String.raw`"(?:[ !#-\[\]-~]|\\["\\])*"`, // a string
  String.raw`@?-?\d{1,15}(?:\.\d{1,9})?`, // a number or a date
  "[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*", // a token
  ":[A-Za-z0-9+/=]*:", // bytes
  String.raw`\?[01]`, // a boolean
  '%"[ !#-~]*"', // a display string
].join("|");
const MEMBER = new RegExp(
  `[ \\t]*(?:(${KEY})=)?(${BARE_ITEM})((?:; *${KEY}(?:=(?:${BARE_ITEM}))?)*)[ \\t]*(?:,|$)`,
  "y",
);
const PARAMETER = new RegExp(`; *(${KEY})(?:=(${BARE_ITEM}))?`, "g");

/**
 * Reads the members of a structured field, without inner lists. A field that is malformed before the 17th member has no
 * members, as the standard says.
 *
 * Source: RFC 9651, sections 3 and 4.2.
 */
export function readMembers(field: string | null): readonly Member[] {
  const members: Member[] = [];
  if (field === null) return members;
  for (let at = 0; at < field.length && members.length < MOST_MEMBERS; at = MEMBER.lastIndex) {
    MEMBER.lastIndex = at;
    const match = MEMBER.exec(field);
    if (match === null) return [];
    const [, key, value = "", parameters = ""] = match;
    const read = [...parameters.matchAll(PARAMETER)].map(([, name = "", text = "?1"]) => [name, text] as const);
    members.push({ key, value, parameters: new Map(read) });
  }
  return members;
}
