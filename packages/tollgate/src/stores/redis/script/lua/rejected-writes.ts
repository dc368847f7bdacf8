/**
 * How servers reject writes: the code, and a part of the error's text. A reply names the place in this list, counted
 * from 1 and negated. Before Redis 7.2 missing permissions have no code of their own.
 */
export const REJECTED_WRITES: readonly (readonly [code: string, text: string])[] = [
  ["OOM", "OOM "],
  ["READONLY", "READONLY "],
  ["MISCONF", "MISCONF "],
  ["NOREPLICAS", "NOREPLICAS "],
  ["NOPERM", "NOPERM "],
  ["NOPERM", "can't run this command"],
  ["NOPERM", "can't access at least one of the keys"],
];

const TEXTS = REJECTED_WRITES.map(([, text]) => `"${text}"`).join(", ");

/**
 * Finds the error of the first write, `failed`, in the list, as `rejection`; nil if it is not in the list. Some errors
 * are only raised by \`call\`, so the caller repeats an unknown one with \`call\`.
 */
export const FIND_REJECTION: string = `
  local rejection
  for number, text in ipairs({ ${TEXTS} }) do
    if not rejection and string.find(failed, text, 1, true) then rejection = -number end
  end
`;
