/**
 * Packs every published package and checks the tarball: publint, are-the-types-wrong, the list of its files, and the
 * targets of `exports` and `bin`. Takes folders of packages; by default all workspaces that are not private.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { type ExportTarget, type PackedPackage, pack, readManifest } from "./pack.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const ATTW = fileURLToPath(new URL("dist/index.js", import.meta.resolve("@arethetypeswrong/cli/package.json")));

const REQUIRED = ["README.md", "LICENSE"];
const PUBLISHED = /^(package\.json|README\.md|LICENSE|proto\/.+\.proto|(dist|bin)\/.+)$/;
const LEFT_OUT = /\.tsbuildinfo$|\.map$|\.test\.|(^|\/)tests?\//;
/** Chunks have their names from the bundler. */
const BUILT = /^dist\/(?!chunks\/)(.+?)(\.d)?\.c?[jt]s$/;
const MOST_FILES = 500;
const MOST_BYTES = 3_000_000;

function publishedWorkspaces(): readonly string[] {
  const folders = (readManifest(ROOT).workspaces ?? []).map((workspace) => join(ROOT, workspace));
  return folders.filter((folder) => readManifest(folder).private !== true);
}

async function publintFindings({ tarball }: PackedPackage): Promise<readonly string[]> {
  const { buffer, byteOffset, byteLength } = readFileSync(tarball);
  const packed = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages, pkg } = await publint({ pack: { tarball: packed }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** A package with commands only has no types to check. */
async function typeFindings({ manifest, tarball }: PackedPackage): Promise<readonly string[]> {
  if (manifest.exports === undefined) return [];
  const options = ["--profile", "strict", "--no-definitely-typed", "--format", "ascii", "--no-emoji", "--no-color"];
  const child = spawn(process.execPath, [ATTW, tarball, ...options], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  // A package without types is no error to attw.
  const hasTypes = !stdout.includes("does not contain types");
  return child.exitCode === 0 && hasTypes ? [] : [`attw: ${stdout}${stderr}`.trim()];
}

function fileFindings(folder: string, { files, unpackedBytes }: PackedPackage): readonly string[] {
  const missing = REQUIRED.filter((file) => !files.includes(file)).map((file) => `files: no ${file}`);
  const stray = files.filter((file) => !PUBLISHED.test(file) || LEFT_OUT.test(file));
  const stale = files.filter((file) => {
    const source = BUILT.exec(file)?.[1];
    return source !== undefined && !existsSync(join(folder, `src/${source}.ts`));
  });
  return [
    ...(files.length > MOST_FILES ? [`files: expected at most ${MOST_FILES}, got ${files.length}`] : []),
    ...(unpackedBytes > MOST_BYTES ? [`files: expected at most ${MOST_BYTES} bytes, got ${unpackedBytes}`] : []),
    ...missing,
    ...stray.map((file) => `files: ${file} does not belong in a package`),
    ...stale.map((file) => `files: ${file} has no source: remove dist and build again`),
  ];
}

function licenseFindings(folder: string, { files }: PackedPackage): readonly string[] {
  if (!files.includes("LICENSE")) return [];
  const same = readFileSync(join(folder, "LICENSE"), "utf8") === readFileSync(join(ROOT, "LICENSE"), "utf8");
  return same ? [] : ["files: LICENSE differs from the workspace's"];
}

function targetsOf(target: ExportTarget): readonly string[] {
  if (target === null) return [];
  return typeof target === "string" ? [target] : Object.values<ExportTarget>(target).flatMap(targetsOf);
}

/** A pattern such as `./dist/*.js` is in the tarball if any file matches it. */
function isIn(files: readonly string[], target: string): boolean {
  const [start = "", end] = target.replace(/^\.\//, "").split("*");
  if (end === undefined) return files.includes(start);
  return files.some((file) => file.startsWith(start) && file.endsWith(end) && file.length > start.length + end.length);
}

function targetFindings({ manifest, files }: PackedPackage): readonly string[] {
  const named = [...Object.entries(manifest.exports ?? {}), ...Object.entries(manifest.bin ?? {})];
  return named.flatMap(([name, target]) => {
    const targets = targetsOf(target);
    if (targets.length === 0) return [`${name}: leads nowhere`];
    return targets.filter((file) => !isIn(files, file)).map((file) => `${name}: ${file} is not in the tarball`);
  });
}

interface Verdict {
  readonly good: boolean;
  readonly report: string;
}

async function judge(folder: string, destination: string): Promise<Verdict> {
  const packed = await pack(folder, destination);
  const [aboutManifest, aboutTypes] = await Promise.all([publintFindings(packed), typeFindings(packed)]);
  const findings = [
    ...fileFindings(folder, packed),
    ...licenseFindings(folder, packed),
    ...targetFindings(packed),
    ...aboutManifest,
    ...aboutTypes,
  ];
  const good = findings.length === 0;
  const { name, version } = packed.manifest;
  const verdict = good ? "all good" : `${findings.length} wrong`;
  return {
    good,
    report: [
      `${name}@${version}, ${packed.files.length} files, ${packed.unpackedBytes} bytes: ${verdict}`,
      ...findings,
    ].join("\n  "),
  };
}

const named = process.argv.slice(2);
const folders = named.length > 0 ? named : publishedWorkspaces();
const destination = mkdtempSync(join(tmpdir(), "tollgate-pack-"));
try {
  const verdicts = await Promise.all(folders.map((folder) => judge(folder, destination)));
  for (const { report } of verdicts) console.log(report);
  if (!verdicts.every(({ good }) => good)) process.exitCode = 1;
} finally {
  rmSync(destination, { recursive: true, force: true });
}
