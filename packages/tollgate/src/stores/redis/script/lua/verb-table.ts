import { SCRIPT_VERBS, type ScriptVerbRow } from "../script-verbs.ts";

/** What the script needs of `SCRIPT_VERBS`, by the verbs' names: all that is true of a verb, such as `removes_idle`. */
export const VERB_TABLE: string = `
local VERBS = {
${Object.values(SCRIPT_VERBS).map(luaRow).join("\n")}
}
local PEEK, EXPLAIN, TAKE = VERBS.peek, VERBS.explain, VERBS.take
`;

function luaRow({ name, takes, ...traits }: ScriptVerbRow): string {
  const flags = { ...traits, takes: takes !== "never", charges: takes === "always" };
  const columns = Object.entries(flags).flatMap(([flag, value]) => (value === true ? [`${inLua(flag)} = true`] : []));
  return `  ${name} = { ${columns.join(", ")} },`;
}

function inLua(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
