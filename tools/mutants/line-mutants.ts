import type { Mutant } from "./mutant.ts";

const LINE = "../limiter/waiting/line.ts";
const LIST = "../limiter/waiting/waiter-list.ts";
const ASKER = "../limiter/deciding/sync-asker.ts";
const BEHIND = "../limiter/waiting/behind.ts";
const FORECAST = "../limiter/waiting/forecast.ts";

export const LINE_MUTANTS: readonly Mutant[] = [
  {
    name: "a waiting call is served before its moment",
    file: LINE,
    find: 'if (this.#state === "waiting" && !(nowUs < this.#dueUs)) this.#state = "ready";\n    this.serve();',
    replace: "this.serve();",
    why: "a line is never served again",
  },
  {
    name: "an abort leaves the line as it is due",
    file: LINE,
    find: 'if (this.#state === "waiting") this.#state = "ready";\n  }\n\n  #remove',
    replace: "}\n\n  #remove",
    why: "a smaller cost waits for the one that left",
  },
  {
    name: "a new call comes before the last",
    file: LIST,
    find: "let previous = this.#tail;",
    replace: "let previous = this.#tail?.previous;",
    why: "calls are not served in order",
  },
  {
    name: "a call that left stays linked",
    file: LIST,
    find: "else next.previous = previous;",
    replace: "",
    why: "the line is torn by the next one that leaves",
  },
  {
    name: "allow overtakes",
    file: ASKER,
    find: 'if (before.length > 0) return tellBehind(before, this, request, "others-waiting", this.stateOf(request));',
    replace: "",
    why: "calls that wait are starved",
  },
  {
    name: "a call that takes nothing is denied while others wait",
    file: ASKER,
    find: " && request.costsSomething",
    replace: "",
    why: "it overtakes no call",
  },
  {
    name: "a refund leaves calls waiting",
    file: ASKER,
    find: "if (refunds) changed(route, keys);",
    replace: "",
    why: "units are there, and no call gets them",
  },
  {
    name: "a charge leaves deadlines as they were foreseen",
    file: ASKER,
    find: 'if (takes === "always") delayed(route, keys, now[0]!);',
    replace: "",
    why: "a call waits on that cannot be served in time",
  },
  {
    name: "the hint behind a line forgets those that wait",
    file: BEHIND,
    find: "Math.max(0, forecast.lastUs + line.lateUs - nowUs)",
    replace: "0",
    why: "a client that waits for its hint is denied",
  },
  {
    name: "a forecast counts calls that will be too late",
    file: LINE,
    find: "if (servedUs <= deadlineUs) forecast.add(calls, servedUs);",
    replace: "forecast.add(calls, servedUs);",
    why: "calls behind them are denied that could be served",
  },
  {
    name: "a forecast lets all units of a sliding window leave with the first group",
    file: FORECAST,
    find: "kernel.adoptUntil(cells, 0, now, left - after, report.waitUs[i]!);\n      left = after;",
    replace: "kernel.adoptUntil(cells, 0, now, left, report.waitUs[i]!);\n      left = 0;",
    why: "the hint is too early",
  },
  {
    name: "a wait that ends at its deadline is denied",
    file: LINE,
    find: ": nowUs + waitUs > waiter.deadlineUs;",
    replace: ": nowUs + waitUs >= waiter.deadlineUs;",
    why: "maxWait is the longest wait that is allowed",
  },
];
