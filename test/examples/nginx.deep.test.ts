import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createLimiter, perMinute } from "tollgate";
import { clientIp, rateLimit } from "tollgate/node";
import { describe, expect, it } from "vitest";
import { eventuallyTrue } from "../../packages/tollgate/test/stores/redis/servers/eventually.ts";
import { reservePort } from "../../packages/tollgate/test/stores/redis/servers/reserved-port.ts";
import { programPath } from "../proxies/unpacked-program.ts";
import { plant, remove, temporaryFolder } from "../support/temporary-folder.ts";
import { blocksOf } from "./code-blocks.ts";

/** The part of nginx's configuration in the page. */
const LOCATION = blocksOf("docs/identity.md").find(({ language }) => language === "text")?.code ?? "";

/** A configuration for one server in the foreground, whose files are all in `folder`. */
function configuration(folder: string, port: number, upstreamPort: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  const location = LOCATION.replace("127.0.0.1:3000", `127.0.0.1:${upstreamPort}`);
  return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nevents {}
http {\naccess_log off;\n${paths}\nserver {\nlisten 127.0.0.1:${port};\n${location}}\n}\n`;
}

/** The status for a client with the given address, which claims to be another one. */
async function ask(port: number, localAddress: string): Promise<number | undefined> {
  const headers = { "X-Forwarded-For": `203.0.113.${Math.floor(Math.random() * 256)}` };
  const sent = request({ host: "127.0.0.1", port, localAddress, headers, agent: false }).end();
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

describe("docs/identity.md behind nginx", () => {
  it("has nginx append the client's address", () => {
    expect(LOCATION).toContain("proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;");
  });

  it("counts clients behind nginx by their own addresses", async () => {
    const limiter = createLimiter({ key: clientIp({ trustProxy: 1 }), limits: [perMinute(2)] });
    const server = createServer(rateLimit({ limiter })((_request, response) => void response.end()));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port, release } = await reservePort();
    const folder = temporaryFolder();
    plant(folder, { "nginx.conf": configuration(folder, port, (server.address() as AddressInfo).port) });
    const nginx = spawn(programPath("nginx"), ["-p", folder, "-c", "nginx.conf", "-e", "error.log"], {
      stdio: "inherit",
    });
    const exited = once(nginx, "exit");
    try {
      await eventuallyTrue("nginx", () =>
        ask(port, "127.0.0.9").then(
          () => true,
          () => false,
        ),
      );
      const statuses: (number | undefined)[] = [];
      for (const address of ["2", "2", "2", "3", "3", "3"]) statuses.push(await ask(port, `127.0.0.${address}`));
      expect(statuses).toEqual([200, 200, 429, 200, 200, 429]);
    } finally {
      nginx.kill("SIGTERM");
      await exited;
      server.close();
      server.closeAllConnections();
      release();
      remove(folder);
    }
  });
});
