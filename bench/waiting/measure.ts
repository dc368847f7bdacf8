import { setImmediate as nextTurn } from "node:timers/promises";
import { bytesInUse, expectCount } from "../harness/measuring.ts";
import type { Measured } from "../harness/rounds.ts";
import { type Contender, type CreateContender, ENTRIES, type Line } from "./contenders.ts";

export type LineOrder = { readonly table: string; readonly row: string; readonly line: Line };

/** Measures lines in this process. @throws Error when a call goes before its time, or is denied. */
export async function measureLine({ table, row, line }: LineOrder): Promise<Measured[]> {
  const entry = ENTRIES.find(({ id }) => id === row);
  if (entry === undefined) throw new Error(`expected the id of a row, got ${row}`);
  const create = await entry.load();
  const own = partOf(line, entry.part);
  const shorter = { ...partOf(own, SHORTER), holdMs: WARM_UP_MS };
  for (let round = 0; round < WARM_UPS; round += 1) await queueAndDrain(create, shorter, entry.signals);
  // While these wait, full collections leave the hidden classes of waiting calls, and the code that relies on them.
  const waiting = await queue(create, { ...own, calls: STAYING, keys: 1 }, entry.signals);
  const before = await bytesInUse();
  const bare = await weighBare(own, entry.signals);
  const { bytes, ...figures } = await queueAndDrain(create, own, entry.signals, bytesInUse);
  expectCount("calls that waited in another line", waiting.promises.length, STAYING);
  return [{ table, row, figures: { ...figures, bytes: (bytes - before) / own.calls - bare } }];
}

function partOf({ calls, keys, holdMs }: Line, part: number): Line {
  return { calls: calls * part, keys: Math.max(1, keys * part), holdMs };
}

/** Lines of this fraction, so often, before the measurement. */
const SHORTER = 0.1;
const WARM_UPS = 10;
const WARM_UP_MS = 400;
const STAYING = 10;

/** Bytes of what is a caller's own: a promise, what its `then` keeps, and a signal. */
async function weighBare({ calls }: Line, signals: boolean): Promise<number> {
  const before = await bytesInUse();
  const own = signalsOf(calls, signals);
  const promises: Promise<unknown>[] = [];
  const count = (): void => {};
  for (let i = 0; i < calls; i += 1) keep(promises, new Promise(() => {}), count);
  const bytes = (await bytesInUse()) - before;
  expectCount("promises", promises.length + own.length, signals ? calls * 2 : calls);
  return bytes / calls;
}

/** Node makes a controller's signal when it is first asked for, and the signal does not refer to the controller. */
function signalsOf(calls: number, signals: boolean): (readonly [AbortController, AbortSignal])[] {
  const withSignal = (controller: AbortController) => [controller, controller.signal] as const;
  return signals ? Array.from({ length: calls }, () => withSignal(new AbortController())) : [];
}

function keep(promises: Promise<unknown>[], promise: Promise<unknown>, count: (answer: unknown) => void): void {
  promises.push(promise);
  void promise.then(count);
}

/** Makes all calls in one turn of the event loop. */
async function queue(create: CreateContender, line: Line, signals: boolean) {
  const { calls } = line;
  const names = Array.from({ length: line.keys }, (_, index) => `client-${index}`);
  const contender = create(line);
  const heldMs = performance.now();
  for (const name of names) await contender.exhaust(name);
  const own = signalsOf(calls, signals);
  const served = serve(contender, calls);
  const promises: Promise<unknown>[] = [];

  const startMs = performance.now();
  for (let i = 0; i < calls; i += 1) {
    keep(promises, contender.wait(names[i % names.length]!, own[i]?.[1]), served.count);
  }
  while (contender.hasInLine?.(calls) === false) await nextTurn();
  return { contender, served, promises, own, heldMs, queueMs: performance.now() - startMs };
}

/** Queues all calls, weighs them, and lets them go. */
async function queueAndDrain(create: CreateContender, line: Line, signals: boolean, weigh?: () => Promise<number>) {
  const { calls, keys, holdMs } = line;
  const timersBefore = timersAlive();
  const { contender, served, promises, own, heldMs, queueMs } = await queue(create, line, signals);
  await nextTurn();
  const timers = timersAlive() - timersBefore;
  const bytes = (await weigh?.()) ?? 0;
  if (weigh !== undefined) expectCount("calls that went before their time", served.soFar(), 0);

  const before = process.cpuUsage();
  const goMs = contender.release === undefined ? heldMs + holdMs : performance.now();
  contender.release?.();
  const drainMs = (await served.lastMs) - goMs;
  const { user, system } = process.cpuUsage(before);
  // What is weighed has to be used later: the engine collects what a suspended function no longer needs.
  expectCount("promises", promises.length + own.length, signals ? calls * 2 : calls);
  return {
    queueNs: (queueMs * 1e6) / calls,
    bytes,
    timers,
    timersPerLine: timers / keys,
    drainNs: (drainMs * 1e6) / calls,
    drainCpuNs: ((user + system) * 1e3) / calls,
    callsPerMs: calls / drainMs,
  };
}

/** Counts the calls that go. */
function serve({ admits = () => true }: Contender, calls: number) {
  let count = 0;
  let finish: (ms: number) => void;
  let fail: (error: Error) => void;
  const lastMs = new Promise<number>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  return {
    lastMs,
    soFar: () => count,
    count(this: void, answer: unknown): void {
      if (!admits(answer)) fail(new Error("expected every call to be admitted"));
      count += 1;
      if (count === calls) finish(performance.now());
    },
  };
}

function timersAlive(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
