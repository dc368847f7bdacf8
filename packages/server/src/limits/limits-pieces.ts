import type { DomainWords, LimitsFile } from "tollgate/config";
import { versionOf } from "./limits-version.ts";
import type { Mistake } from "./mistake.ts";

/** A part of a limits file that one message has: receiving a whole file at once would block the thread for long. */
export type LimitsPiece =
  | { readonly type: "mistakes"; readonly mistakes: readonly Mistake[] }
  | { readonly type: "file"; readonly words: Omit<LimitsFile, "domains"> }
  | { readonly type: "domain"; readonly name: string; readonly words: Omit<DomainWords, "limits"> }
  | { readonly type: "rules"; readonly rules: readonly RuleEntry[] }
  | { readonly type: "end"; readonly version: string };

type RuleEntry = readonly [name: string, words: DomainWords["limits"][string]];

/** They take about a millisecond. */
const RULES_IN_PIECE = 250;

/** Cuts a file into pieces, in its order. */
export function* piecesOf(file: LimitsFile): Generator<LimitsPiece, undefined> {
  const { domains, ...words } = file;
  yield { type: "file", words };
  for (const [name, { limits, ...others }] of Object.entries(domains)) {
    yield { type: "domain", name, words: others };
    const rules = Object.entries(limits);
    for (let at = 0; at < rules.length; at += RULES_IN_PIECE) {
      yield { type: "rules", rules: rules.slice(at, at + RULES_IN_PIECE) };
    }
  }
  yield { type: "end", version: versionOf(file) };
}

/** Puts the pieces of a file together again. */
export class JoinedPieces {
  #words: Omit<LimitsFile, "domains"> = { version: 1 };
  readonly #domains: Record<string, DomainWords> = {};
  #rules: Record<string, RuleEntry[1]> = {};

  /** @returns the file, with its last piece. */
  add(piece: Exclude<LimitsPiece, { readonly type: "mistakes" }>): LimitsFile | undefined {
    switch (piece.type) {
      case "file":
        this.#words = piece.words;
        return undefined;
      case "domain":
        this.#rules = {};
        this.#domains[piece.name] = { ...piece.words, limits: this.#rules };
        return undefined;
      case "rules":
        for (const [name, words] of piece.rules) this.#rules[name] = words;
        return undefined;
      case "end":
        return { ...this.#words, domains: this.#domains };
      default:
        return piece satisfies never;
    }
  }
}
