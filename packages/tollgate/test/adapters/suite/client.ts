import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { ClientHttp2Session } from "node:http2";
import { connect } from "node:net";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request over `node:http`, which sends and shows headers as they are. */
export function send(
  url: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** A request as text, for `sendRaw` and `leave`. */
export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`;
}

/** The statuses of so many requests, one after another. */
export async function statuses(url: string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) all.push((await send(url)).status);
  return all;
}

/** Sends raw requests in one piece over one connection, and returns everything that comes back until it is quiet. */
export function sendRaw(url: string, text: string, answers: number): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = "";
    socket.setEncoding("latin1");
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (received.split("HTTP/1.1 ").length > answers) socket.end();
    });
  });
}

/** Begins a request and breaks the connection off, after the first bytes of an answer or after some milliseconds. */
export function breakOff(url: string, after: "first bytes" | number): Promise<void> {
  return new Promise((resolve) => {
    const sent = httpRequest(url, (response) => {
      response.on("error", () => {});
      response.once("data", () => sent.destroy());
    });
    sent.on("error", () => {});
    sent.on("close", () => resolve());
    sent.end();
    if (typeof after === "number") setTimeout(() => sent.destroy(), after);
  });
}

/** Sends raw requests in one piece and goes, after the first bytes that come back or when a promise is kept. */
export function leave(url: string, text: string, after: "first bytes" | Promise<unknown>): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("error", reject);
    socket.on("close", () => resolve());
    if (after === "first bytes") socket.once("data", () => socket.destroy());
    else after.then(() => socket.destroy(), reject);
  });
}

/** One request over HTTP/2 without TLS. */
export function sendHttp2(session: ClientHttp2Session, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": path });
    let body = "";
    let headers: IncomingHttpHeaders = {};
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      headers = received;
    });
    stream.on("data", (chunk: string) => {
      body += chunk;
    });
    stream.on("error", reject);
    stream.on("end", () => resolve({ status: Number((headers as Record<string, unknown>)[":status"]), headers, body }));
    stream.end();
  });
}
