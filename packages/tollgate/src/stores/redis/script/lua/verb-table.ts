import { SCRIPT_VERBS, type ScriptVerbRow } from "../script-verbs.ts";

/** The columns of `SCRIPT_VERBS` that the script needs, by the verbs' names. */
export const VERB_TABLE: string = `
local VERBS = {
${Object.values(SCRIPT_VERBS).map(luaRow).join("\n")}
}
local PEEK, EXPLAIN, TAKE = VERBS.peek, VERBS.explain, VERBS.take
`;

function luaRow({
  name,
  changes,
  decides,
  takes,
  refunds,
  renews,
  removesIdle,
  forgets,
  setsBlock,
  leases,
}: ScriptVerbRow): string {
  const flags = {
    changes,
    decides,
    takes: takes !== "never",
    charges: takes === "always",
    gives_back: refunds,
    renews,
    removes_idle: removesIdle,
    forgets,
    sets_block: setsBlock,
    leases,
  };
  const columns = Object.entries(flags).flatMap(([flag, value]) => (value ? [`${flag} = true`] : []));
  return `  ${name} = { ${columns.join(", ")} },`;
}
