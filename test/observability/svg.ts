/** Ten colors that differ for the color-blind, too (Observable's categorical scheme). */
export const COLORS: readonly string[] = [
  ...["#4269d0", "#efb118", "#ff725c", "#6cc5b0", "#3ca951"],
  ...["#ff8ab7", "#a463f2", "#97bbf5", "#9c6b4e", "#9498a0"],
];

export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Place {
  readonly width: number;
  readonly height: number;
}

export interface TextStyle {
  readonly size: number;
  readonly fill: string;
  readonly weight?: number;
  readonly anchor?: "start" | "middle" | "end";
}

export function rect(box: Box, fill: string, style: { readonly rx?: number; readonly stroke?: string } = {}): string {
  const { rx = 0, stroke = "none" } = style;
  const { x, y, width, height } = box;
  const place = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
  return `<rect ${place} rx="${rx}" fill="${fill}" stroke="${stroke}"/>`;
}

export function text(content: string, { x, y }: Place, style: TextStyle): string {
  const { size, fill, weight = 400, anchor = "start" } = style;
  const place = `x="${short(x)}" y="${short(y)}"`;
  const font = `font-size="${size}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}"`;
  return `<text ${place} ${font}>${escaped(content)}</text>`;
}

export function line(from: Place, to: Place, stroke: string): string {
  return `<path d="M${at(from)}L${at(to)}" stroke="${stroke}"/>`;
}

/** Points as they stand in a path. */
export function pathOf(points: readonly Place[]): string {
  return points.map((point, index) => `${index === 0 ? "M" : "L"}${at(point)}`).join("");
}

function at({ x, y }: Place): string {
  return `${short(x)} ${short(y)}`;
}

function short(number: number): string {
  return String(Math.round(number * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
