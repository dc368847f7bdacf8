import { describe } from "vitest";
import { EVERY_STORE } from "../every-store.ts";
import { correctionAttacks } from "./corrections.ts";

describe.each(EVERY_STORE)("over %s", (_name, createStore) => {
  correctionAttacks(() => createStore());
});
