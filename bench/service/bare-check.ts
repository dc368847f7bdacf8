import { createServer } from "node:http";

/** Headers of an answer of the service, which never change here. */
const HEADERS = {
  "Content-Length": "0",
  "Cache-Control": "no-store",
  "RateLimit-Policy": '"1-per-1s-burst-100000000";q=100000000;w=100000000',
  RateLimit: '"1-per-1s-burst-100000000";r=99999999;t=1',
};

/** Serves what a check answers, without a decision. Prints its URL. */
export function serveBareChecks(): void {
  const server = createServer((_request, response) => {
    response.writeHead(200, HEADERS);
    response.end();
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    console.log(`http://127.0.0.1:${port}`);
  });
}
