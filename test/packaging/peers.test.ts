import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../../packages/tollgate/package.json" with { type: "json" };
import { readManifest } from "../../tools/pack.ts";
import { REPOSITORY } from "../support/planted-workspace.ts";
import { run, runNode } from "../support/run.ts";
import { folderOfFile, plant } from "../support/temporary-folder.ts";
import { packAll, toolOf } from "./installed-project.ts";
import { install, userEnvironment } from "./projects.ts";

/** An application of some years: what it has stands in for the packages, because npm compares versions only. */
const OLD = {
  "@modelcontextprotocol/sdk": "0.6.0",
  "@modelcontextprotocol/server": "2.0.0",
  "@nestjs/common": "8.4.7",
  "@nestjs/core": "8.4.7",
  "@nestjs/websockets": "8.4.7",
  "@opentelemetry/api": "1.0.4",
  "@upstash/redis": "1.20.0",
  "@valkey/valkey-glide": "1.3.0",
  express: "3.21.2",
  fastify: "4.29.1",
  hono: "3.12.12",
  ioredis: "4.28.5",
  iovalkey: "0.2.0",
  koa: "1.7.1",
  pg: "7.18.2",
  postgres: "1.0.2",
  "prom-client": "11.5.3",
  redis: "3.1.2",
  yaml: "1.10.2",
};

const REGISTERS = `const { fastify } = require("fastify");
const { createLimiter, perMinute } = require("tollgate");
const { clientIp, rateLimit } = require("tollgate/fastify");

const app = fastify();
app.register(rateLimit, { limiter: createLimiter({ key: clientIp(), limits: [perMinute(2)] }) });
app.ready().then(() => console.log("ready"), (error) => console.log(error.code, error.message));
`;

const root = folderOfFile();
const files: Record<string, string> = {};
for (const [name, version] of Object.entries(OLD)) {
  files[`old/${name}/package.json`] = JSON.stringify({ name, version });
}
plant(root, {
  ...files,
  "package.json": JSON.stringify({ name: "project", version: "1.0.0", private: true }),
});
const { tarballs } = await packAll(join(REPOSITORY, "packages/tollgate"), join(root, ".tarballs"));
const folders = Object.keys(OLD).map((name) => `./old/${name}`);
const { stdout } = await run("npm", ["pack", "--silent", ...folders], { cwd: root, env: userEnvironment() });
const old = stdout
  .trim()
  .split("\n")
  .map((file) => join(root, file));
const installed = await install(root, [...old, ...tarballs]);

function versionOf(name: string): string | undefined {
  const place = join(root, "node_modules", name);
  return existsSync(place) ? readManifest(place).version : undefined;
}

describe("an application with old versions of every optional peer", () => {
  it("has a version of each", () => {
    expect(Object.keys(OLD).sort()).toEqual(Object.keys(manifest.peerDependencies).sort());
    expect(Object.keys(manifest.peerDependenciesMeta)).toEqual(Object.keys(manifest.peerDependencies));
  });

  it("installs the package by a plain npm install", () => {
    expect(installed).toMatchObject({ status: 0, stderr: "" });
    // Offline, npm drops a package of a conflict, instead of reporting the conflict.
    const versions = Object.keys(OLD).map((name) => [name, versionOf(name)]);
    expect(Object.fromEntries(versions)).toEqual(OLD);
    expect(versionOf("tollgate")).toBe(manifest.version);
  });

  it("is told at register which Fastify the adapter needs", async () => {
    const place = join(root, "fastify-4/node_modules");
    mkdirSync(place, { recursive: true });
    symlinkSync(toolOf("fastify"), join(place, "fastify"));
    plant(root, { "fastify-4/registers.cjs": REGISTERS });
    expect(await runNode(root, ["fastify-4/registers.cjs"], userEnvironment())).toEqual({
      status: 0,
      stdout: 'ERR_OPTION tollgate/fastify: expected fastify 5 or newer, got "4.29.1"\n',
      stderr: "",
    });
  });
});
