import { textTable } from "../report/text-table.ts";
import type { Verdict } from "./judge.ts";

export function verdictTable(verdicts: readonly Verdict[]): string {
  const columns = [
    { title: "ratio", align: "left" },
    { title: "recorded", align: "right" },
    { title: "measured", align: "right" },
    { title: "verdict", align: "left" },
  ] as const;
  const shown = (ratio: number | undefined) => ratio?.toFixed(2) ?? "";
  return textTable(
    columns,
    verdicts.map(({ name, recorded, measured, kind }) => [name, shown(recorded), shown(measured), kind]),
  );
}
