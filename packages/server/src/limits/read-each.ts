import { LimitsFileError } from "tollgate/config";
import type { FileText } from "../files/read-texts.ts";
import type { Mistake } from "./mistake.ts";

/** Reads each file by a function that throws a `LimitsFileError`. What was read is sound if there are no mistakes. */
export function readEach<Value>(
  texts: readonly FileText[],
  parse: (text: string, file: string) => Value,
): { readonly read: { readonly file: string; readonly value: Value }[]; readonly mistakes: Mistake[] } {
  const mistakes: Mistake[] = [];
  const read = texts.flatMap(({ file, text }) => {
    try {
      return [{ file, value: parse(text, file) }];
    } catch (error) {
      if (!(error instanceof LimitsFileError)) throw error;
      mistakes.push(...error.mistakes.map((mistake) => placed(mistake, file)));
      return [];
    }
  });
  return { read, mistakes };
}

function placed({ line = 1, column = 1, path, message }: LimitsFileError["mistakes"][number], file: string): Mistake {
  return { file, line, column, message: path === "" ? message : `${path}: ${message}` };
}
