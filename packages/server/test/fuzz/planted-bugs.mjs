/// <reference types="node" />

// Bugs of the kinds that the fuzzer is there to find. The last part of the module's URL, behind `#`, plants one.

import { readFileSync } from "node:fs";
import { Server } from "node:http";
import { connect } from "node:net";

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

const redis = process.argv[process.argv.indexOf("--redis") + 1]?.split(",")[0];

/** Sends a command to Redis over a connection that stays open. */
function sendToRedis(command) {
  const { hostname, port } = new URL(redis);
  connect(Number(port), hostname)
    .on("error", () => {})
    .end(`${command}\r\n`)
    .unref();
}

/** What goes wrong with a server of Redis. */
const REDIS_BUGS = {
  "key without an end": () => sendToRedis("SET planted 1"),
  "script that fails": () => sendToRedis('EVAL "return redis.error_reply(1)" 0'),
  "connections without an end": () => {
    for (let left = 20; left > 0; left -= 1) connect(Number(new URL(redis).port)).unref();
  },
};

/** A limits file is missing at times while another one takes its place. */
function textIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

if (process.argv.includes("--redis")) REDIS_BUGS[bug]?.();
if (bug === "death of a worker" && process.env["TOLLGATE_WORKER"] !== undefined) {
  setTimeout(() => process.exit(7), 3_000).unref();
}
if (bug === "exit code of SIGTERM") {
  const exit = process.exit;
  process.exit = () => exit.call(process, 3);
}
if (bug === "crash by a limits file") {
  const path = process.argv[process.argv.indexOf("--limits") + 1];
  setInterval(() => {
    if (path?.endsWith(".yaml") && /\[\[|- - /.test(textIfThere(path))) throw new Error("planted");
  }, 5).unref();
}
