import { join } from "node:path";
import { blocksOf } from "../examples/code-blocks.ts";
import type { DocumentedProxy, Ports } from "./proxy.ts";

/** The blocks of a page in a language: the first is a whole file, the others are parts of it. */
function blocks(page: string, language: string): readonly string[] {
  const found = blocksOf(`docs/proxies/${page}.md`).filter((block) => block.language === language);
  return found.map(({ code }) => code);
}

/** Puts a test's ports into the place of those of the documentation, each of which must be there. */
function withPorts(text: string, { proxy, limiter, application }: Ports): string {
  const replacements = { ":3000": `:${limiter}`, ":4000": `:${application}`, "8080": String(proxy) };
  return replaceAll(text, replacements);
}

/** @throws Error unless the text has every key. */
function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  let replaced = text;
  for (const [from, to] of Object.entries(replacements)) {
    if (!replaced.includes(from)) throw new Error(`expected ${JSON.stringify(from)} in ${text}`);
    replaced = replaced.replaceAll(from, () => to);
  }
  return replaced;
}

const [NGINX = "", NGINX_DENIES = ""] = blocks("nginx", "nginx");

/** All files of nginx are in one folder, and it stays in the foreground. */
function nginxFiles(tollgate: string): DocumentedProxy["files"] {
  return (ports, folder) => {
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const temporary = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
    const http = `access_log off;\n${temporary}\ninclude ${folder}/tollgate.conf;`;
    return {
      "nginx.conf": `daemon off;\nmaster_process off;\npid ${folder}/pid;\nevents {}\nhttp {\n${http}\n}\n`,
      "tollgate.conf": withPorts(tollgate, ports),
    };
  };
}

const nginx: DocumentedProxy = {
  name: "nginx",
  files: nginxFiles(NGINX),
  denyingFiles: nginxFiles(replaceAll(NGINX, { "return 204;": NGINX_DENIES.trim() })),
  chainedFiles: nginxFiles(NGINX),
  args: (folder) => ["-p", folder, "-c", "nginx.conf", "-e", "error.log"],
};

const [CADDYFILE = "", CADDY_DENIES = "", CADDY_TRUSTS = ""] = blocks("caddy", "caddy");

/** Without Caddy's own port for administration. */
function caddyFiles(caddyfile: string): DocumentedProxy["files"] {
  return (ports) => ({ Caddyfile: withPorts(caddyfile, ports).replace("{\n", "{\n\tadmin off\n") });
}

const FALLBACK = "handle @limiter_down {\n\t\t\treverse_proxy 127.0.0.1:4000";
const TRUSTS = CADDY_TRUSTS.trim().replace("10.0.1.0/24", "127.0.0.1/32");

const caddy: DocumentedProxy = {
  name: "caddy",
  files: caddyFiles(CADDYFILE),
  denyingFiles: caddyFiles(replaceAll(CADDYFILE, { [FALLBACK]: `handle @limiter_down {\n${CADDY_DENIES}` })),
  chainedFiles: caddyFiles(replaceAll(CADDYFILE, { "method GET\n": `method GET\n${TRUSTS}\n` })),
  args: () => ["run", "--config", "Caddyfile", "--adapter", "caddyfile"],
};

const [LUA = ""] = blocks("haproxy", "lua");
const [HAPROXY = "", HAPROXY_DENIES = ""] = blocks("haproxy", "haproxy");

function haproxyFiles(configuration: string): DocumentedProxy["files"] {
  return (ports, folder) => {
    const inner = { "127.0.0.1:8079": `127.0.0.1:${ports.inner}` };
    const path = { "/etc/haproxy/tollgate.lua": join(folder, "tollgate.lua") };
    return {
      "tollgate.lua": replaceAll(LUA, inner),
      "haproxy.cfg": replaceAll(withPorts(configuration, ports), { ...inner, ...path }),
    };
  };
}

const DENIAL = /^.*http-request deny .*\n/m;

const haproxy: DocumentedProxy = {
  name: "haproxy",
  files: haproxyFiles(HAPROXY),
  denyingFiles: haproxyFiles(HAPROXY.replace(DENIAL, (line) => `${line}${HAPROXY_DENIES}`)),
  chainedFiles: haproxyFiles(HAPROXY),
  args: () => ["-f", "haproxy.cfg", "-db"],
};

export const PROXIES = { nginx, caddy, haproxy } as const;
