import { fuzz } from "./fuzz-run.ts";
import { readOptions } from "./options.ts";
import { failureText, progressLine } from "./report.ts";

const options = readOptions(process.argv.slice(2));
console.log(`Seed ${options.seed}`);

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort());

const report = await fuzz({
  ...options,
  onProgress: (progress) => console.log(progressLine(progress)),
  signal: interrupted.signal,
});
console.log(progressLine(report));
if (report.failure !== undefined) {
  console.error(failureText(report));
  process.exitCode = 1;
}
