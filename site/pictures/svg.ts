/** The colours of a picture by class, on light pages and on dark ones. */
const STYLE = `
text { fill: #24292f; font: 14px system-ui, sans-serif }
.title { font-weight: 600 }
.small { font-size: 12px }
.middle { text-anchor: middle }
path, rect, line { fill: none; stroke: #57606a; stroke-width: 1.5 }
.edge { stroke: #8c959f; stroke-dasharray: 2 3; stroke-width: 1 }
.good { fill: #1a7f37; stroke: #1a7f37 }
.bad { stroke: #cf222e; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
path, rect, line { stroke: #9198a1 }
.edge { stroke: #656c76 }
.good { fill: #3fb950; stroke: #3fb950 }
.bad { stroke: #ff7b72 }
}`;

/** A picture of these parts. The label says what it shows. */
export function svg(width: number, height: number, label: string, parts: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img"`;
  return `${open} aria-label="${label}">\n<style>${STYLE}\n</style>\n${parts.join("\n")}\n</svg>\n`;
}

export function text(x: number, y: number, words: string, name = ""): string {
  return `<text x="${x}" y="${y}"${name === "" ? "" : ` class="${name}"`}>${words}</text>`;
}

export function box(x: number, y: number, width: number, height: number): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;
}

export function path(shape: string, name = ""): string {
  return `<path${name === "" ? "" : ` class="${name}"`} d="${shape}"/>`;
}
