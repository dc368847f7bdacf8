import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { Agent, type RequestOptions, request } from "node:https";
import { connect as connectPlain } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { Client, credentials } from "@grpc/grpc-js";
import { expect, it, onTestFinished, vi } from "vitest";
import type { TlsFiles } from "../../src/files/certificates.ts";
import { FilesError } from "../../src/files/read-texts.ts";
import { limitsFile } from "../support/limits-file.ts";
import { PemFiles } from "../support/pem-files.ts";
import { LOCAL_ADMIN } from "../support/test-admin.ts";
import { startTestService, type TestService } from "../support/test-service.ts";

const LIMITS = "version: 1\ndomains: { api: { limits: { client: { by: ip, rate: 9/1h } } } }";
const TOKEN = "a-token-of-the-monitor";
const HEALTH = "/grpc.health.v1.Health/Check";

async function makePems(): Promise<{ readonly pems: PemFiles; readonly tls: TlsFiles }> {
  const pems = await PemFiles.make();
  await pems.sign("server");
  return { pems, tls: { cert: pems.path("server.pem"), key: pems.path("server.key"), clientCa: undefined } };
}

/** A service with all three ports. */
async function start(tls: TlsFiles): Promise<TestService> {
  const { application } = await limitsFile(LIMITS);
  const admin = { ...LOCAL_ADMIN, tokens: [{ token: TOKEN, access: "read" as const }] };
  return startTestService({ tls, application, admin, grpcPort: 0, graceMs: 2_000 });
}

/** Asks for the health, and resolves with the status and the socket. */
async function ask(url: string, options: RequestOptions): Promise<{ readonly status?: number; socket: TLSSocket }> {
  const asked = request(`${url}/healthz`, { agent: false, ...options }).end();
  const [response] = await once(asked, "response");
  response.resume();
  await once(response, "end");
  return { status: response.statusCode, socket: response.socket ?? asked.socket };
}

/** Asks for the health over gRPC. `SERVING` is 1. */
function askGrpc(port: number | undefined, ca: Buffer, key?: Buffer, cert?: Buffer): Promise<unknown> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(ca, key, cert));
  onTestFinished(() => client.close());
  const same = (bytes: Buffer): Buffer => bytes;
  const deadline = Date.now() + 20_000;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(HEALTH, same, same, Buffer.alloc(0), { deadline }, (error, answer) =>
      error === null ? resolve(answer?.toString("hex")) : reject(error),
    );
  });
}

const SERVING = "0801";

it("every port speaks TLS alone", async () => {
  const { pems, tls } = await makePems();
  const { url, adminUrl = "", grpcPort } = await start(tls);
  const ca = readFileSync(pems.path("ca.pem"));
  expect([url, adminUrl]).toEqual([expect.stringMatching(/^https:/), expect.stringMatching(/^https:/)]);
  expect((await ask(url, { ca })).status).toBe(200);
  expect((await ask(adminUrl, { ca })).status).toBe(200);
  expect(await askGrpc(grpcPort, ca)).toBe(SERVING);

  await expect(ask(url, {})).rejects.toThrow(/certificate/);
  await expect(fetch(`http${url.slice(5)}/healthz`)).rejects.toThrow("fetch failed");
  expect((await ask(url, { ca })).status).toBe(200);
});

it("with authorities of clients, every port refuses clients without their certificates", async () => {
  const { pems, tls } = await makePems();
  await pems.sign("client");
  const stranger = await PemFiles.make();
  await stranger.sign("client");
  const { url, adminUrl = "", grpcPort } = await start({ ...tls, clientCa: pems.path("ca.pem") });
  const ca = readFileSync(pems.path("ca.pem"));
  const pairOf = (of: PemFiles) => ({
    cert: readFileSync(of.path("client.pem")),
    key: readFileSync(of.path("client.key")),
  });
  const known = pairOf(pems);
  for (const port of [url, adminUrl]) {
    expect((await ask(port, { ca, ...known })).status).toBe(200);
    await expect(ask(port, { ca })).rejects.toThrow();
    await expect(ask(port, { ca, ...pairOf(stranger) })).rejects.toThrow();
  }
  expect(await askGrpc(grpcPort, ca, known.key, known.cert)).toBe(SERVING);
  await expect(askGrpc(grpcPort, ca)).rejects.toThrow("UNAVAILABLE");
});

it("new connections get a certificate that has changed, and open ones go on", async () => {
  const { pems, tls } = await makePems();
  const service = await start(tls);
  const { url, adminUrl = "", grpcPort } = service;
  const ca = readFileSync(pems.path("ca.pem"));
  const agent = new Agent({ keepAlive: true, ca });
  onTestFinished(() => agent.destroy());
  const nameOf = async (at: string): Promise<unknown> => {
    const { hostname, port } = new URL(at);
    const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ["h2", "http/1.1"] });
    await once(socket, "secureConnect");
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return name;
  };
  await ask(url, { agent });
  expect(await nameOf(url)).toBe("server");

  // The key of the new certificate comes later.
  await pems.sign("next");
  await pems.replace("server.pem", "next.pem");
  await vi.waitFor(() => expect(service.errors.join()).toContain("--tls-key: expected the key of"), 20_000);
  expect(await nameOf(url)).toBe("server");
  await pems.replace("server.key", "next.key");
  await vi.waitFor(() => expect(service.log.join()).toContain("has loaded the certificate"), 20_000);
  for (const at of [url, adminUrl, `https://127.0.0.1:${grpcPort}`]) expect(await nameOf(at)).toBe("next");

  const { status, socket } = await ask(url, { agent });
  expect([status, socket.getPeerCertificate().subject.CN]).toEqual([200, "server"]);
});

it.each<[string, (pems: PemFiles) => Promise<unknown>, string]>([
  ["is not there", async () => {}, "none.pem: expected a file or a directory that can be read, got ENOENT"],
  ["is no certificate", (pems) => writeFile(pems.path("none.pem"), "x"), "--tls-cert: expected a certificate in PEM"],
  [
    "is that of another key",
    async (pems) => {
      await pems.sign("other");
      await pems.replace("none.pem", "other.pem");
    },
    "--tls-key: expected the key of the certificate in ",
  ],
])("a service does not start with a certificate that %s", async (_what, put, message) => {
  const { pems, tls } = await makePems();
  await put(pems);
  const started = startTestService({ tls: { ...tls, cert: pems.path("none.pem") } });
  await expect(started).rejects.toThrow(FilesError);
  await expect(started).rejects.toThrow(message);
});

it("connections that never agree on a key end, and keep no client out", { timeout: 60_000 }, async () => {
  const { pems, tls } = await makePems();
  const { url, adminUrl = "", grpcPort } = await start(tls);
  const ca = readFileSync(pems.path("ca.pem"));
  const agent = new Agent({ keepAlive: true, ca });
  onTestFinished(() => agent.destroy());
  const monitor = { agent, headers: { authorization: `Bearer ${TOKEN}` }, path: "/metrics" };
  const { socket } = await ask(adminUrl, monitor);
  const silent = [url, adminUrl, `https://127.0.0.1:${grpcPort}`].flatMap((at) =>
    Array.from({ length: 40 }, () => connectPlain(Number(new URL(at).port), "127.0.0.1").on("error", () => {})),
  );
  await Promise.all(silent.map((one) => once(one, "connect")));
  expect((await ask(adminUrl, { ca })).status).toBe(200);
  const again = await ask(adminUrl, monitor);
  expect([again.status, again.socket]).toEqual([200, socket]);
  await Promise.all(silent.filter((one) => !one.destroyed).map((one) => once(one.resume(), "close")));
});

it("a service that stops ends idle connections, and answers requests in flight", async () => {
  const { pems, tls } = await makePems();
  const service = await startTestService({ tls, graceMs: 20_000 });
  const ca = readFileSync(pems.path("ca.pem"));
  const agent = new Agent({ keepAlive: true, ca });
  onTestFinished(() => agent.destroy());
  await ask(service.url, { agent });
  const { port } = new URL(service.url);
  const late = connect({ host: "127.0.0.1", port: Number(port), ca });
  await once(late, "secureConnect");
  late.write("GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  let received = "";
  late.setEncoding("utf8").on("data", (text: string) => {
    received += text;
  });
  await ask(service.url, { agent });
  const closed = service.close();
  late.write("\r\n");
  await once(late, "close");
  await closed;
  expect(received).toMatch(/^HTTP\/1.1 200 /);
  expect(received).toMatch(/connection: close/i);
});
