/** After so many calls a task lets the others have their turn. */
const CALLS_PER_TURN = 50;

/**
 * Tasks that call on keys by the store's clock, each on one of them, at least so many times each, and until all tasks of all threads have:
 * what was admitted by key, and the moments just before the first call, after the first that was denied, before the last that was, and
 * after the last.
 */
export async function run({ limiter, tasks, allTasks, done, calls, keys }) {
  const told = Array.from({ length: keys }, () => ({
    admitted: 0,
    beforeFirst: Number.POSITIVE_INFINITY,
    afterFirstDenial: Number.POSITIVE_INFINITY,
    beforeLastDenial: Number.NEGATIVE_INFINITY,
    afterLast: Number.NEGATIVE_INFINITY,
  }));
  const task = async (number) => {
    const key = number % keys;
    const name = `key ${key}`;
    const mine = told[key];
    for (let call = 1; Atomics.load(done, 0) < allTasks; call += 1) {
      const before = nowMs();
      const allowed = limiter.allow(name);
      const after = nowMs();
      if (allowed === true) mine.admitted += 1;
      else {
        mine.beforeLastDenial = before;
        mine.afterFirstDenial = Math.min(mine.afterFirstDenial, after);
      }
      mine.beforeFirst = Math.min(mine.beforeFirst, before);
      mine.afterLast = after;
      if (call === calls) Atomics.add(done, 0, 1);
      if (call % CALLS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: tasks }, (_, number) => task(number)));
  return told;
}

/** By the clock that all threads of Node have: not the store's, which is tested. */
function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
