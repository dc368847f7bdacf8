import { Notice } from "./text.tsx";
import type { Shown } from "./view.ts";

/** What the operator has to know first, whatever the screen. */
export function Problems({ view: { stores, processes, file } }: Pick<Shown, "view">) {
  const problems = stores.flatMap(({ name, server = "up" }) => {
    if (server === "up") return [];
    if (server === "bypass") return [`The store ${name} is bypassed by its kill switch: its limits deny nothing.`];
    return [`The store ${name} is ${server === "down" ? "down" : "tried again"}: its failure policy decides.`];
  });
  if (processes.ready < processes.of)
    problems.push(`${processes.of - processes.ready} of ${processes.of} processes are not ready.`);
  if (file?.state === "kept") problems.push("The limits files have mistakes. The limits before them are in force.");
  return [...problems, ...(file?.mistakes ?? [])].map((problem) => <Notice key={problem}>{problem}</Notice>);
}
