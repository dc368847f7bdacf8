import type { JudgedSuggestion } from "../fitting.ts";
import type { Judgement } from "../judging.ts";
import type { ReplayResult } from "../replay.ts";
import { deniedOf, describe, summary, timeOf, WHOLE_SECONDS } from "../result-text.ts";
import { asCode, asYaml } from "../suggestion-code.ts";
import type { TimelineCounts } from "../timeline.ts";
import { heatMap } from "./heat-map.ts";
import { bar, behind, escaped, table } from "./markup.ts";
import { STYLE } from "./style.ts";

/** The result as one page, which asks for nothing outside of itself and needs no scripts. */
export function htmlOf(result: ReplayResult, files: readonly string[]): string {
  const { fit, judgement, timeline, firstUs } = result;
  const marks = judgement?.marks ?? [];
  const sections = [
    judgement && section("What the limits of the file would have denied", rules(judgement, result)),
    fit && section("Clients denied something, by refill and capacity", heatMap(fit.grid(), marks)),
    fit && fit.suggestions.length > 0 && section("Suggestions", fit.suggestions.map(suggestion).join("\n")),
    section("Requests by time", timelineOf(timeline, firstUs)),
    judgement && section("What clients had left of their limit at the worst moment", headroom(judgement.headroom)),
    section(judgement ? "Clients with most denials" : "Clients that need most", clientRows(result)),
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark"><title>Replay of ${escaped(files[0] ?? "")}</title>
<style>${STYLE}</style></head><body><main>
<h1>Replay of ${files.map(escaped).join(", ")}</h1>
${summary(result)
  .map((line) => `<p>${escaped(line)}</p>`)
  .join("\n")}
${sections.filter((text) => text !== undefined && text !== false).join("\n")}
<h2>What to keep in mind</h2>
<p>${WHOLE_SECONDS}</p>
<p>A log has what was answered: clients that were denied might have sent more, or given up.</p>
</main></body></html>
`;
}

function section(title: string, content: string): string {
  return `<section><h2>${title}</h2>\n${content}</section>`;
}

function rules(judgement: Judgement, result: ReplayResult): string {
  const rows = [...judgement.rules].map(([rule, count]) => {
    return [escaped(rule), bar(count / result.requests, String(count))];
  });
  return `<p>${deniedOf(judgement, result)}</p>
${rows.length === 0 ? "" : table(["rule", "requests denied"], rows)}`;
}

function suggestion(judged: JudgedSuggestion): string {
  return `<h3>${judged.name}</h3><p>${describe(judged)}</p>
<pre>${escaped(asCode(judged))}</pre><pre>${escaped(asYaml(judged))}</pre>`;
}

const [WIDTH, HEIGHT] = [340, 80];

function timelineOf({ stepSeconds, requests, denied }: TimelineCounts, firstUs: number): string {
  const most = Math.max(1, ...requests);
  const step = WIDTH / Math.max(1, requests.length);
  const bars = (counts: readonly number[], name: string) =>
    counts.map((count, index) => {
      const height = (count / most) * HEIGHT;
      const place = `x="${(index * step).toFixed(2)}" y="${(HEIGHT - height).toFixed(2)}"`;
      return `<rect ${place} width="${(step * 0.85).toFixed(2)}" height="${height.toFixed(2)}" class="${name}"/>`;
    });
  const drawing = [...bars(requests, "all"), ...bars(denied, "denied")].join("\n");
  const moment = (index: number) => timeOf(firstUs + index * stepSeconds * 1e6);
  const rows = requests.map((count, index) => [moment(index), String(count), String(denied[index])]);
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Requests and denials by time">${drawing}</svg>
<p>${moment(0)} to ${moment(requests.length)}, at most ${most} in ${stepSeconds} s</p>
<ul class="legend"><li><i class="box all"></i>requests</li><li><i class="box denied"></i>denied</li></ul>
${behind("Timeline", table(["from", "requests", "denied"], rows))}`;
}

function headroom(counts: readonly number[]): string {
  const most = Math.max(1, ...counts);
  const rows = counts.map((count, part) => {
    return [part === 0 ? "denied" : `${part * 10 - 10} to ${part * 10} %`, bar(count / most, String(count))];
  });
  return table(["left", "clients"], rows);
}

function clientRows({ judgement, fit, nameOf }: ReplayResult): string {
  const rows = judgement
    ? judgement.worst.map(({ client, denied, requests }) => {
        return [escaped(nameOf(client)), bar(denied / requests, `${denied} of ${requests}`)];
      })
    : (fit?.neediest() ?? []).map(({ client, capacity }) => [escaped(nameOf(client)), String(Math.ceil(capacity))]);
  if (rows.length === 0) return "<p>None.</p>";
  return table(["client", judgement ? "requests denied" : "capacity that it needs, at the balanced refill"], rows);
}
