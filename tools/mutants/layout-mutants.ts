import type { Mutant } from "./mutant.ts";

const REDIS = "../stores/redis";
const TEXT = `${REDIS}/layouts/limit-text.ts`;
const REGISTRY = `${REDIS}/layouts/layout-registry.ts`;
const LAYOUT = `${REDIS}/script/layout.ts`;
const OTHERS = `${REDIS}/script/other-layouts.ts`;
const PLAN = `${REDIS}/script/encode-plan.ts`;
const CALL = `${REDIS}/script/encode-call.ts`;
const REPLY = `${REDIS}/script/decode-reply.ts`;
const DISPATCHER = `${REDIS}/batch/dispatcher.ts`;
const SERVER = `${REDIS}/server.ts`;

export const LAYOUT_MUTANTS: readonly Mutant[] = [
  {
    name: "layout described by other limits",
    file: TEXT,
    find: "layoutId(plan) === id",
    replace: 'layoutId(plan) !== ""',
    why: "cells are read with numbers under which they were not written",
  },
  {
    name: "layout names ignore units and windows",
    file: LAYOUT,
    find: "countsName(limit)}",
    replace: "limit.name}",
    why: "tokens become requests",
  },
  {
    name: "layout names ignore lists that count separately",
    file: LAYOUT,
    find: "const own = onChange ===",
    replace: "const own = !onChange && onChange ===",
    why: "what a key has used carries over where it should not",
  },
  {
    name: "layout of a blocked key is expected for long",
    file: OTHERS,
    find: "CALLS_AFTER_SECTIONS = 32",
    replace: "CALLS_AFTER_SECTIONS = 1_000",
    why: "one blocked key slows all calls of its limiter down",
  },
  {
    name: "layout of one call only",
    file: OTHERS,
    find: "this.#calls -= 1;",
    replace: "this.#calls = 0;",
    why: "during a rollout every second call takes another round trip",
  },
  {
    name: "layout of a list alone is noted",
    file: REGISTRY,
    find: "isWhole ? []",
    replace: "isWhole || true ? []",
    why: "a section of a limit has no description, and so counts as used up",
  },
  {
    name: "layout is looked up once",
    file: REGISTRY,
    find: "const LOOK_AGAIN_MS = [10, 40];",
    replace: "const LOOK_AGAIN_MS: readonly number[] = [];",
    why: "a description that is on its way is lost, and keys are denied",
  },
  {
    name: "layout is noted with every call",
    file: REGISTRY,
    find: "    if (noted > nowMs) return;\n",
    replace: "",
    why: "each plan of the same limits writes to the server",
  },
  {
    name: "layout is no cell",
    file: PLAN,
    find: "firstCells[i]! + HEAD_CELLS",
    replace: "firstCells[i]!",
    why: "a count overwrites the head of its value",
  },
  {
    name: "layout unknown to lone calls",
    file: CALL,
    find: "keys[0]!.costs[0]! > 0 && !keys[0]!.plan.others.areExpected",
    replace: "keys[0]!.costs[0]! > 0",
    why: "each lone call during a rollout takes two round trips",
  },
  {
    name: "layout of the wrong mover",
    file: REPLY,
    find: "[numbers.entry() - 1, numbers.entry() - 1, numbers.entry()]",
    replace: "[numbers.entry() - 1, numbers.entry(), numbers.entry()]",
    why: "an observer is told of another key",
  },
  {
    name: "layout met again in a short form",
    file: OTHERS,
    find: ": CALLS_AFTER_SECTIONS)",
    replace: ": 0)",
    why: "a call that meets sections fails after eight tries",
  },
  {
    name: "layout lost for one try",
    file: DISPATCHER,
    find: "lost: [...lost, ...more]",
    replace: "lost",
    why: "a call that meets a lost layout fails",
  },
  {
    name: "layout outrun by a reset",
    file: SERVER,
    find: "    if (this.#dispatcher.describing !== undefined) await this.#dispatcher.describing;\n",
    replace: "",
    why: "a call before a reset counts after it",
  },
];
