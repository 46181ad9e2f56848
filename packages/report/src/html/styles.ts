const light = `
  color-scheme: light; --page: #ffffff; --panel: #f6f7f9; --ink: #1a1d21; --dim: #5a626c; --line: #d5dae0;
  --good: #14713d; --bad: #b3261e; --link: #0b57a4; --whisker: #1a1d21; --band: #e3ebf5;
  --k0: #0072b2; --k1: #d55e00; --k2: #00805f; --k3: #b8508f; --k4: #8a6d00; --k5: #2f8fc4; --k6: #6a3d9a; --k7: #4a5058;
  --p0: #3a7ebf; --p1: #e39a3b; --p2: #6b8f3a; --p3: #8c5fb0;`;
const dark = `
  color-scheme: dark; --page: #14171a; --panel: #1d2125; --ink: #e7eaee; --dim: #a3acb6; --line: #3a4149;
  --good: #5fd08f; --bad: #ff8a80; --link: #8ec5ff; --whisker: #f4f6f8; --band: #263241;
  --k0: #56b4e9; --k1: #ff8a3d; --k2: #2fd09f; --k3: #e7a0cb; --k4: #e8c547; --k5: #9ad1f5; --k6: #b79ae0; --k7: #c9ccd1;
  --p0: #5ea4e6; --p1: #e9ab55; --p2: #9cc062; --p3: #b98fdc;`;

const colors = Array.from({ length: 8 }, (_, index) => `.c${index} { --c: var(--k${index}); }`).join(' ');

/** The page's styles: light or dark by the reader's preference, one column on a phone, light on paper. */
export const styles = `
:root {${light}
}
@media (prefers-color-scheme: dark) { :root {${dark}
} }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
main, header, footer { max-width: 1240px; margin: 0 auto; padding: 0 16px; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 24px 0 4px; }
h2 { font-size: 1.2rem; margin: 40px 0 8px; padding-top: 8px; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 20px 0 4px; }
p, ul, dl { margin: 6px 0; max-width: 80ch; }
ul { padding-left: 20px; }
.sub, .answer ul { max-width: 130ch; }
a { color: var(--link); }
.sub { color: var(--dim); margin: 0 0 12px; }
.plain { font-size: 1.25em; font-weight: 600; margin: 4px 0 10px; }
.answer { border-left: 6px solid var(--link); padding: 2px 0 2px 14px; margin: 8px 0 4px; }
.answer.good { border-color: var(--good); } .answer.bad { border-color: var(--bad); }
.answer h1 { margin: 0; } .answer .host { margin: 4px 0; }
.answer.bad h1 { color: var(--bad); }
.lead h2 { border: 0; margin: 2px 0 2px; padding: 0; font-size: 1rem; color: var(--dim); }
.findings { margin: 8px 0; }
/* One chart on the first screen has its sentences beside it. */
@media (min-width: 900px) { .first:has(> .lead > .charts > figure:only-child) { display: grid; grid-template-columns: minmax(0, 560px) minmax(0, 1fr); gap: 24px; } .first .lead { grid-column: 1; grid-row: 1; } .first .findings { margin-top: 36px; } }
.chapter { border-top: 1px solid var(--line); margin: 0; padding: 4px 0; }
.chapter > summary { font-size: 1rem; padding: 6px 0; } .chapter > summary h2 { display: inline; border: 0; margin: 0; padding: 0; font-size: 1.05rem; }
.alarm { color: var(--bad); font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 20px; align-items: start; margin-bottom: 20px; }
.charts:has(> figure:only-child) { grid-template-columns: minmax(0, 560px); }
.charts > * { min-width: 0; }
figure { margin: 0; padding: 12px; background: var(--panel); border-radius: 6px; break-inside: avoid; min-width: 0; }
button { font: inherit; font-size: 0.85rem; color: var(--link); background: none; border: 1px solid var(--line); border-radius: 4px; padding: 2px 8px; cursor: pointer; }
figcaption a { margin-left: 4px; }
figcaption { font-weight: 600; font-size: 0.95rem; margin-bottom: 6px; }
.chart { display: block; width: 100%; height: auto; }
.chart text { font: 11px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: var(--dim); }
.chart text.name { fill: var(--ink); font-size: 12px; }
.chart text.value { fill: var(--ink); font-size: 12px; font-weight: 600; }
.grid { stroke: var(--line); stroke-width: 1; }
.axis { stroke: var(--dim); stroke-width: 1; }
.mark { stroke: var(--dim); stroke-width: 1; stroke-dasharray: 2 3; }
.band { fill: var(--band); fill-opacity: 0.6; }
.curve { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
.dash1 .curve { stroke-dasharray: 7 3; }
.dash2 .curve { stroke-dasharray: 2 3; }
.dot { fill: var(--c); }
.ring { fill: none; stroke: var(--c); stroke-width: 1.5; }
.area { fill: var(--c); }
.whisker { stroke: var(--c); stroke-width: 1.2; }
.whisker.dark { stroke: var(--whisker); } .whisker.any { stroke-dasharray: 2 3; }
${colors}
.part0 { --c: var(--p0); } .part1 { --c: var(--p1); } .part2 { --c: var(--p2); } .part3 { --c: var(--p3); }
.gain { --c: var(--k2); } .loss { --c: var(--k1); } .whole { --c: var(--k0); } .claimed { --c: var(--k7); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; list-style: none; padding: 0; margin: 6px 0; font-size: 0.85rem; }
.legend li { display: flex; align-items: center; gap: 6px; }
.legend svg { flex: none; }
details { margin-top: 6px; }
summary { cursor: pointer; color: var(--link); font-size: 0.85rem; }
.scroll { overflow-x: auto; max-width: 100%; margin: 8px 0; }
.scroll:focus-visible, button:focus-visible, summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font-size: 0.85rem; overflow-wrap: normal; }
caption { text-align: left; color: var(--dim); padding: 0 8px 4px 0; }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; white-space: pre-line; }
th { white-space: nowrap; }
td.text { max-width: 60ch; min-width: 4ch; }
.exhibit tbody th { min-width: 24ch; max-width: 40ch; white-space: normal; }
.number, thead th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .dim { color: var(--dim); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; }
dt { color: var(--dim); } dd { margin: 0; }
blockquote { margin: 8px 0; padding-left: 12px; border-left: 3px solid var(--line); }
pre { background: var(--panel); border-radius: 6px; padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.85rem; }
footer { color: var(--dim); font-size: 0.85rem; margin-top: 40px; padding-bottom: 24px; }
@media (max-width: 480px) { body { font-size: 15px; } main, header, footer { padding: 0 12px; } dl { grid-template-columns: minmax(0, 1fr); } figure { padding: 10px 8px; } }
@media print {
  :root {${light}
  }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { font-size: 10pt; } main, header, footer { max-width: none; padding: 0; }
  figure details { display: none; }
  .chapter::details-content { content-visibility: visible; block-size: auto; }
  .charts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .scroll { overflow: visible; } table { font-size: 7.5pt; } tr, figure { break-inside: avoid; } h2, h3 { break-after: avoid; }
  td, th { white-space: pre-line; padding-right: 5px; overflow-wrap: anywhere; }
}
`;
