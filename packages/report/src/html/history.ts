import type { Series, TargetHistory } from '@fair-bench/analysis';
import { findingsOf, historyNotes, historyTitle, pointsTable, seriesTitle } from '../history.ts';
import { axisFromZero, linearAxis } from './charts/axes.ts';
import { lineChart } from './charts/line-chart.ts';
import { exact, figure, legendOf, sectionsMarkup, exactEnds } from './figure.ts';
import { html, list, type Markup } from './markup.ts';
import { shell } from './page.ts';
import { styleAt } from './series-style.ts';

/** A target's throughput over the runs of a machine as one HTML file that loads nothing. Pure. */
export function renderHistoryHtml(history: TargetHistory): string {
  const title = `History of ${history.target}`;
  const body = html`<header>
      <h1>${title}</h1>
      <p class="sub">${historyTitle(history)}</p>
      ${historyNotes(history).map((line) => html`<p>${line}</p>`)}
    </header>
    <main>
      ${history.series.map(
        (series) =>
          html`<section>
            <h2>${seriesTitle(series)}</h2>
            ${seriesMarkup(series)}
          </section> `,
      )}
    </main>
    <footer>Fair Bench. This page was made from the index of results/; it loads nothing.</footer>`;
  return shell(title, body).toString();
}

function seriesMarkup(series: Series): Markup {
  const { points, changes } = series;
  const chart = lineChart({
    label: `${seriesTitle(series)}: ${findingsOf(series).join('; ')}`,
    height: 240,
    x: linearAxis('run', [1, Math.max(2, points.length)]),
    y: axisFromZero(
      'TPS',
      points.map(({ tps }) => tps.ci95?.[1] ?? tps.mean),
    ),
    curves: [
      {
        style: styleAt(0),
        dots: true,
        points: points.map(({ tps: { mean, ci95 } }, index) => ({
          x: index + 1,
          y: mean,
          ci95,
        })),
      },
      {
        style: styleAt(1),
        dots: false,
        points: points.map(({ level }, index) => ({ x: index + 1, y: level })),
      },
    ],
    marks: changes.map(({ at, ratio }) => ({ x: at + 0.5, text: `${ratio.toFixed(2)} ×` })),
  });
  const legend = legendOf([
    { name: 'runs, with their 95 % intervals', style: styleAt(0) },
    { name: 'geometric mean between changes', style: styleAt(1) },
  ]);
  const heads = ['run', 'TPS', '95 % low', '95 % high'];
  const rows = points.map(({ run, tps: { mean, ci95 } }) => [run.folder, exact(mean), ...exactEnds(ci95)]);
  return html`${figure(seriesTitle(series), chart, legend, { heads, rows })}
  ${list(findingsOf(series), 'findings')}
  ${sectionsMarkup([{ title: 'Runs', lines: [], table: pointsTable(series) }])}`;
}
