/** What Lua 5.1 and Redis name. All other names are the script's own, or fields of a library. */
const LANGUAGE =
  "and break do else elseif end false for function if in local nil not or repeat return then true until while " +
  "assert error getmetatable ipairs next pairs pcall rawget rawset select setmetatable tonumber tostring type unpack " +
  "math string table redis struct cjson ARGV KEYS";
/** The fields of libraries, and texts that may be names of fields. */
const GIVEN = /\b(?:math|string|table|redis|struct|cjson)\.(\w+)|'(\w+)'/g;

/** Texts, names, numbers, spaces, and everything else character by character. */
const TOKENS = /'(?:[^'\\]|\\.)*'|[A-Za-z_]\w*|\d[\w.]*| +|[\s\S]/g;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_".split("");

/**
 * Gives locals and fields short names, and leaves out spaces: the script is a text, which no bundler of a user can
 * shorten. The same name has the same short name everywhere, so that scopes need not be known.
 */
export function shortLua(script: string): string {
  const tokens = script.match(TOKENS) ?? [];
  const given = [...script.matchAll(GIVEN)].map(([, field, text]) => field ?? text);
  const kept = new Set([...LANGUAGE.split(" "), ...given]);
  const uses = new Map<string, number>();
  for (const token of tokens)
    if (/^[A-Za-z_]/.test(token) && !kept.has(token)) uses.set(token, (uses.get(token) ?? 0) + 1);
  const names = [...LETTERS, ...LETTERS.flatMap((first) => LETTERS.map((second) => first + second))];
  const free = names.filter((name) => !kept.has(name));
  const byUse = [...uses.keys()].sort((one, other) => uses.get(other)! - uses.get(one)!);
  const short = new Map(byUse.map((name, i) => [name, free[i]!]));
  const isNeeded = (token: string, i: number) => token.trim() !== "" || token === "\n" || separates(tokens, i);
  return tokens.flatMap((token, i) => (isNeeded(token, i) ? (short.get(token) ?? token) : [])).join("");
}

/** Whether a space is needed: between two names or numbers, two hyphens, or beside the dots that join texts. */
function separates(tokens: readonly string[], at: number): boolean {
  const around = (tokens[at - 1] ?? "").slice(-1) + (tokens[at + 1] ?? "").slice(0, 1);
  return /^\w{2}$|^--$|\./.test(around);
}
