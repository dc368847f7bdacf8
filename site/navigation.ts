import type { DefaultTheme } from "vitepress";
import { FRAMEWORKS } from "./frameworks.ts";
import { repositoryPages, sitePath, titleOf } from "./pages.ts";

type Item = DefaultTheme.SidebarItem;

const LOOK_UP = ["options", "verbs", "errors", "warnings", "headers", "limits-file", "http-api", "admin-api"];
const UNDERSTAND = ["choosing", "stores", "security", "bench", "observability/README"];
const SERVERS = ["adapters", ...FRAMEWORKS.map(({ page }) => page), "mcp", "better-auth", "identity"];
const STORES = ["threads", "cluster", "redis", "postgres", "durable-object", "hybrid", "writing-a-store"];
const SERVICE = ["service", "dashboard", "replay"];

/** The documents by kind of page. A document that is listed nowhere is a how-to. */
export function sidebar(): Item[] {
  const documents = repositoryPages().filter((file) => file.startsWith("docs/"));
  const left = new Set(documents.map((file) => file.slice("docs/".length, -".md".length)));
  const take = (names: readonly string[]): Item[] =>
    names.map((name) => {
      if (!left.delete(name)) throw new Error(`site/navigation.ts names ${name}, which is no document or named twice`);
      return itemOf(`docs/${name}.md`);
    });
  const takeAll = (prefix: string): Item[] => {
    const names = [...left].filter((name) => name.startsWith(prefix));
    return take([...names.filter((name) => name.endsWith("/README")), ...names.filter((name) => !name.endsWith("E"))]);
  };
  const start: Item[] = [
    ...FRAMEWORKS.map(({ id, title }) => ({ text: title, link: `/start/${id}` })),
    ...take(["guide", "compatibility"]),
    itemOf("examples/README.md"),
    ...take(["README"]),
  ];
  const lookUp = [...take(LOOK_UP), { text: "API reference", link: "/api/" }, itemOf("CHANGELOG.md")];
  const understand = [...take(UNDERSTAND), group("Inside", takeAll("internals/")), itemOf("ARCHITECTURE.md")];
  const groups = [
    group("Servers", take(SERVERS)),
    group("Where to count", take(STORES)),
    group("The service", take(SERVICE)),
    group("Proxies", takeAll("proxies/")),
    group("Recipes", takeAll("recipes/")),
    group("From another limiter", takeAll("from-")),
  ];
  return [
    { text: "Start", collapsed: false, items: start },
    { text: "How to", collapsed: false, items: [...take([...left]), ...groups] },
    { text: "Look up", collapsed: false, items: lookUp },
    { text: "Understand", collapsed: false, items: understand },
  ];
}

function group(text: string, items: Item[]): Item {
  return { text, collapsed: true, items };
}

function itemOf(file: string): Item {
  return { text: titleOf(file), link: `/${sitePath(file).replace(/(?:index)?\.md$/, "")}` };
}
