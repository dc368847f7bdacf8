import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import { type ReadLimits, trustLimitsFile } from "tollgate/config";
import type { FileText } from "../files/read-texts.ts";

/** What the thread runs. It is a text, so that no other file has to be found where the service is bundled or tested. */
const SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
const { readLimits } = require(workerData.config);
const yaml = require(workerData.yaml);
parentPort.postMessage(workerData.texts.map(({ file, text }) => readLimits(text, { file, yaml })));
`;

/** Reads limits in another thread: a second for 10,000 rules of YAML, in which this one decides requests. */
export function readInThread(texts: readonly FileText[]): Promise<readonly ReadLimits[]> {
  const { resolve: find } = createRequire(import.meta.url);
  const workerData = { texts, config: find("tollgate/config"), yaml: find("yaml") };
  const worker = new Worker(SOURCE, { eval: true, execArgv: [], workerData });
  return new Promise((resolve, reject) => {
    worker.once("message", (results: readonly ReadLimits[]) => resolve(results.map(trusted)));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`expected limits from a thread, got its exit code ${code}`)));
  });
}

/** The mark of being checked does not outlast the way between threads. */
function trusted(result: ReadLimits): ReadLimits {
  return result.ok ? { ok: true, limits: trustLimitsFile(result.limits) } : result;
}
