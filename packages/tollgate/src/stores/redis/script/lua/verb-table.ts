import { SCRIPT_VERBS, type ScriptVerbRow } from "../script-verbs.ts";

/** The columns of `SCRIPT_VERBS` that the script needs, by the verbs' letters. */
export const VERB_TABLE: string = `
local VERBS = {
${Object.values(SCRIPT_VERBS).map(luaRow).join("\n")}
}
local PEEK, EXPLAIN, TAKE = VERBS.p, VERBS.e, VERBS.t
`;

function luaRow({ letter, changes, decides, takes, givesBack, removesIdle }: ScriptVerbRow): string {
  const flags = {
    changes,
    decides,
    takes: takes !== "never",
    charges: takes === "always",
    gives_back: givesBack,
    removes_idle: removesIdle,
  };
  const columns = Object.entries(flags).flatMap(([name, value]) => (value ? [`${name} = true`] : []));
  return `  ${letter} = { ${columns.join(", ")} },`;
}
