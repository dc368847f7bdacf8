import { defineConfig } from "vitepress";
import { sidebar } from "../navigation.ts";

/** The anchors that GitHub gives to headings, which the links of the documents use. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, "")
    .replaceAll(" ", "-");
}

export default defineConfig({
  title: "Tollgate",
  description: "A rate limiter for TypeScript that is exact, fast, and honest when something fails.",
  srcDir: ".generated/pages",
  outDir: "dist",
  cacheDir: ".generated/cache",
  // An empty icon: browsers ask for /favicon.ico otherwise.
  head: [["link", { rel: "icon", href: "data:," }]],
  router: { prefetchLinks: false },
  markdown: { html: false, anchor: { slugify: anchorOf }, languageAlias: { caddy: "txt", haproxy: "txt" } },
  themeConfig: {
    nav: [
      { text: "Start", link: "/start/express", activeMatch: "^/(start|guide)" },
      { text: "Choose", link: "/choose" },
      { text: "Playground", link: "/playground" },
      { text: "API", link: "/api/" },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        // Pages that explain come before pages that list.
        miniSearch: { searchOptions: { boostDocument: (id: string) => (/^\/(?:api|project)\//.test(id) ? 0.2 : 1) } },
        _render: (text, env, md) => {
          const html = md.render(text, env);
          return env.frontmatter?.["search"] === false ? "" : html;
        },
      },
    },
  },
});
