import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLimits, type LimitsFile, LimitsFileError, parseLimits } from "tollgate/config";
import { clientIp, factsOf } from "tollgate/node";
import * as yaml from "yaml";

const file = process.env["LIMITS"] ?? "limits.yaml";
const limits = createLimits(read());
const addressOf = clientIp({ trustProxy: process.env["PROXIES"] === undefined ? false : "loopback" });

function read(): LimitsFile {
  return parseLimits(readFileSync(file, "utf8"), { file, yaml });
}

process.on("SIGHUP", () => {
  try {
    limits.update(read());
    console.log(`${file} is loaded`);
  } catch (error) {
    if (!(error instanceof LimitsFileError)) throw error;
    console.log(error.message);
  }
});

const server = createServer((request, response) => {
  const ip = addressOf(factsOf(request));
  const decision = limits.consume("api", { ip, method: request.method, path: request.url, header: request.headers });
  if (decision.allowed) {
    response.end("welcome\n");
    return;
  }
  response.writeHead(429, { "retry-after": `${Math.ceil(decision.retryAfterMs / 1000)}` });
  response.end(`denied by ${decision.limiter}\n`);
});

server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
