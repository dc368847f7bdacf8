import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, type ProjectReflection, ReflectionKind, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import { REPOSITORY } from "./pages.ts";

const LIBRARY = join(REPOSITORY, "packages/tollgate");

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly import: { readonly default: string } }>>;
}

/** Writes the reference of the library's entries, a page each, from the types and docstrings of their sources. */
export async function writeReference(folder: string): Promise<void> {
  const library = JSON.parse(readFileSync(join(LIBRARY, "package.json"), "utf8")) as Manifest;
  const entries = new Map(
    Object.entries(library.exports).flatMap(([entry, target]) => {
      if (typeof target === "string") return [];
      return [[target.import.default.replace(/^\.\/dist\/(.+)\.js$/, "$1"), entry.replace(/^\./, "tollgate")] as const];
    }),
  );
  const options: TypeDocOptions & PluginOptions = {
    plugin: ["typedoc-plugin-markdown"],
    name: "API reference",
    entryPoints: [...entries.keys()].map((source) => `${LIBRARY}/src/${source}.ts`),
    tsconfig: join(LIBRARY, "tsconfig.json"),
    out: folder,
    router: "module",
    entryFileName: "index",
    readme: "none",
    logLevel: "Error",
    // Their own build checks the sources.
    skipErrorChecking: true,
    disableSources: true,
    excludePrivate: true,
    excludeInternal: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
  };
  const application = await Application.bootstrapWithPlugins(options);
  const project = await application.convert();
  if (project === undefined || application.logger.hasErrors()) throw new Error("the reference has errors");
  // Pages are named by what users import. Typedoc's own names leave out `/index`.
  for (const page of project.children ?? []) {
    page.name = entries.get(page.name) ?? entries.get(`${page.name}/index`) ?? page.name;
  }
  const missing = withoutExample(project);
  if (missing.length > 0) throw new Error(`expected an @example in the docstring of each: ${missing.join(", ")}`);
  await application.generateOutputs(project);
  // Pages of the site have no HTML of their own: rows of tables have no anchors.
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".md")) continue;
    const text = readFileSync(join(folder, file), "utf8");
    const plain = text
      .replaceAll(/<a id="[^"]*"><\/a> ?/g, "")
      .replaceAll(/#(?:property|type-parameter)-[\w-]+\)/g, ")")
      .replaceAll("]()", "")
      .replaceAll(/\(#([a-z]+)-(\d+)\)/g, (link, name: string, number: string) => {
        // A name that is a type and a value has one heading where both are one symbol.
        const headings = text.match(new RegExp(`^#+ ${name}(?:\\W.*)?$`, "gim")) ?? [];
        return Number(number) < headings.length ? link : `(#${name})`;
      });
    writeFileSync(join(folder, file), plain);
  }
}

/** The functions, classes and variables that have no `@example`. Overloads share theirs. */
function withoutExample({ children: entries = [] }: ProjectReflection): string[] {
  return entries.flatMap((entry) =>
    entry
      .getChildrenByKind(ReflectionKind.Function | ReflectionKind.Class | ReflectionKind.Variable)
      .filter((symbol) => ![symbol, ...(symbol.signatures ?? [])].some(({ comment }) => comment?.getTag("@example")))
      .map(({ name }) => `${name} of ${entry.name}`),
  );
}
