/** Colours for light and dark; the layout is one column, down to 320 pixels. */
export const STYLE: string = `
:root { color-scheme: light dark; --ground: #fff; --text: #1b2430; --quiet: #4a5666; --edge: #c9d1da; --mark: #0b5cad;
  --h0: #eef2f6; --h1: #fdebc8; --h2: #fbd08b; --h3: #f6a75a; --h4: #e6743c; --h5: #bd4028; --h6: #7c1d1d; }
@media (prefers-color-scheme: dark) { :root { --ground: #12171e; --text: #e4e9ef; --quiet: #a9b4c1; --edge: #38434f;
  --mark: #7ab8ff; --h0: #1d2630; --h1: #4a3a1f; --h2: #74501f; --h3: #a1601f; --h4: #cd6f35; --h5: #ea8f6c;
  --h6: #ffc9b8; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } p { margin: .4rem 0; }
svg { width: 100%; display: block; } svg text { font-size: 8px; fill: var(--text); }
.end { text-anchor: end; } .mid { text-anchor: middle; }
${[0, 1, 2, 3, 4, 5, 6].map((step) => `.h${step} { fill: var(--h${step}); background: var(--h${step}); }`).join(" ")}
.all { fill: var(--edge); background: var(--edge); } .denied { fill: var(--h5); background: var(--h5); }
.line { fill: none; stroke: var(--text); stroke-width: 1.5; }
.line.f1 { stroke-dasharray: 5 2; } .line.f2 { stroke-dasharray: 1 2; }
.mark { fill: var(--ground); stroke: var(--mark); stroke-width: 2; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .85rem; }
.box { display: inline-block; width: .9rem; height: .9rem; margin-right: .4rem; border: 1px solid var(--edge); }
.dash { display: inline-block; width: 1.8rem; margin: 0 .4rem .25rem 0; border-top: 2px solid var(--text); }
.dash.f1 { border-top-style: dashed; } .dash.f2 { border-top-style: dotted; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem .5rem .15rem 0; border-bottom: 1px solid var(--edge); font-weight: normal; }
th { color: var(--quiet); } td { width: 60%; } .wide td { width: auto; white-space: nowrap; }
.wide { overflow-x: auto; } .bar { display: inline-block; height: .7rem; background: var(--h4); }
pre { white-space: pre-wrap; padding: .5rem; background: var(--h0); font-size: .85rem; }
summary { cursor: pointer; color: var(--mark); } :focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
`;
