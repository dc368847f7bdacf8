/** A task yields to other tasks after this many calls. */
const CALLS_PER_TURN = 50;

/**
 * Runs tasks that each call on one key by the store's clock, until every task of every thread has made `calls` calls.
 * Returns for each key the units admitted, and the times just before the first call, after the first denial, before the
 * last denial, and after the last call.
 */
export async function run({ limiter, tasks, allTasks, done, calls, keys }) {
  const records = Array.from({ length: keys }, () => ({
    admitted: 0,
    beforeFirst: Number.POSITIVE_INFINITY,
    afterFirstDenial: Number.POSITIVE_INFINITY,
    beforeLastDenial: Number.NEGATIVE_INFINITY,
    afterLast: Number.NEGATIVE_INFINITY,
  }));
  const task = async (number) => {
    const key = number % keys;
    const name = `key ${key}`;
    const mine = records[key];
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
  return records;
}

/** The time by the clock that all threads of Node share: not by the store's clock, which is under test. */
function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}
