import { printable } from "../printable.ts";

/** Text as HTML, without characters that would change what is around it. */
export function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A table; its cells are HTML. The first cell of each row is its heading. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map(([head = "", ...cells]) => {
    return `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join("");
  return `<table><thead><tr>${head}</tr></thead><tbody>${lines.join("\n")}</tbody></table>`;
}

/** The numbers behind a chart, closed at first. */
export function behind(name: string, content: string): string {
  const region = `<div class="wide" role="region" aria-label="${name}" tabindex="0">${content}</div>`;
  return `<details><summary>${name} as a table</summary>${region}</details>`;
}

/** A horizontal bar beside a number. */
export function bar(part: number, text: string): string {
  return `<span class="bar" style="width:${(part * 60).toFixed(1)}%"></span> ${text}`;
}

export function percent(part: number): string {
  return `${Number((part * 100).toFixed(3))} %`;
}
