// Bugs of the kinds that the fuzzer is there to find. The last part of the module's URL, behind `#`, plants one.

import { readFileSync } from "node:fs";
import { Server } from "node:http";

const kept = [];

/** What goes wrong with a request, beside what the service does with it. */
const BUGS = {
  "unhandled rejection": ({ url }) => {
    if (url.includes("%") === true) void Promise.reject(new Error("planted"));
  },
  "crash by one byte": ({ rawHeaders }) => {
    if (rawHeaders.some((text) => text.includes("\x80")) === true) {
      setImmediate(() => {
        throw new Error("planted");
      });
    }
  },
  "endless loop": ({ headers }) => {
    while (headers["x-forwarded-for"]?.includes("::ffff:") === true);
  },
  "leak of a request": () => {
    kept.push(Buffer.alloc(300_000, 1).toString("latin1"));
  },
  "status 500": ({ method }, response) => {
    if (method !== "PROPFIND") return;
    response.writeHead(500);
    response.end();
  },
  "warning of Node": ({ url }) => {
    if (url.includes("?") === true) process.emitWarning("planted");
  },
};

/** Requests that are never answered. */
const isSwallowed = ({ headers }) => headers["x-forwarded-for"]?.includes("10.0.0.1") === true;

const bug = decodeURIComponent(new URL(import.meta.url).hash.slice(1));

/** @type {(event: string, ...values: unknown[]) => boolean} */
const emit = Server.prototype.emit;
Server.prototype.emit = function (event, ...values) {
  if (event === "request") {
    const [request, response] = values;
    if (bug === "request without an answer" && isSwallowed(request)) return true;
    BUGS[bug]?.(request, response);
    if (response.writableEnded === true) return true;
  }
  return emit.call(this, event, ...values);
};

if (bug === "exit code of SIGTERM") {
  const exit = process.exit;
  process.exit = () => exit.call(process, 3);
}
if (bug === "crash by a limits file") {
  const path = process.argv[process.argv.indexOf("--limits") + 1];
  setInterval(() => {
    if (path?.endsWith(".yaml") && readFileSync(path, "utf8").includes("[[[[")) throw new Error("planted");
  }, 5).unref();
}
