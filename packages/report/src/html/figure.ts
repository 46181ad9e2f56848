import type { Interval } from '@fair-bench/contract';
import { formatNumber } from '../sections/format.ts';
import { type Section, type Table, toneOfWord } from '../sections/section.ts';
import { type Content, html, list, type Markup } from './markup.ts';

/** A number rounded for people, with the exact one for machines. */
export function exact(value: number | null): Markup {
  return value === null ? html`–` : html`<data value="${value}">${formatNumber(value)}</data>`;
}

/** The two ends of an interval, as cells of a table. */
export function exactEnds(interval: Readonly<Interval> | null | undefined): readonly Markup[] {
  return [exact(interval?.[0] ?? null), exact(interval?.[1] ?? null)];
}

interface DataTable {
  readonly heads: readonly string[];
  /** The first cell of a row is its head. */
  readonly rows: readonly (readonly Content[])[];
}

/** A table that scrolls by itself where it is wider than the page. */
export function dataTable(caption: string, { heads, rows }: DataTable): Markup {
  return scrolling(
    caption,
    html`<table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([head = '', ...cells]) =>
            html`<tr>
              <th scope="row">${head}</th>
              ${cells.map((cell) => html`<td class="${isLong(cell) ? 'text' : 'number'}">${cell}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>`,
  );
}

/** Words that would make a column too wide in one line. */
function isLong(cell: Content): boolean {
  return typeof cell === 'string' && cell.length > 40;
}

/** A table of the other outputs' sections. */
function sectionTable(title: string, { columns, rows }: Table): Markup {
  const kind = (index: number): string => (columns[index]?.align === 'right' ? 'number' : 'text');
  return scrolling(
    title,
    html`<table>
      <thead>
        <tr>
          ${columns.map(({ head, align }) => html`<th scope="col" class="${align === 'right' ? 'number' : 'text'}">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((text, index) => html`<td class="${kind(index)}">${statusOf(text)}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>`,
  );
}

/** Charts side by side; null without one. */
export function charts(figures: readonly Markup[]): Markup | null {
  return figures.length === 0 ? null : html`<div class="charts">${figures}</div>`;
}

/** The sections of the other outputs, in the same words; null without one. */
export function sectionsMarkup(all: readonly Section[]): Markup | null {
  if (all.length === 0) return null;
  return html`${all.map(
    ({ title, lines, table }) =>
      html`${all.length === 1 ? null : html`<h3>${title}</h3>`}${
        lines.length > 1 ? list(lines) : lines.map((line) => html`<p>${line}</p>`)
      }${table === null ? null : sectionTable(title, table)}`,
  )}`;
}

/** A chart with its name, a link to itself, and its numbers, which can be copied. */
export function figure(name: string, chart: Content, legend: Content, table: DataTable): Markup {
  const id = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return html`<figure id="${id}">
    <figcaption>${name} <a href="#${id}" aria-label="${`Link to: ${name}`}">#</a></figcaption>
    ${chart} ${legend}
    <details>
      <summary>Numbers</summary>
      <p>
        <button type="button" data-as="markdown">Copy as Markdown</button>
        <button type="button" data-as="csv">Copy as CSV</button>
      </p>
      ${dataTable(name, table)}
    </details>
  </figure> `;
}

interface LegendEntry {
  readonly name: string;
  readonly style: string;
}

export function legendOf(entries: readonly LegendEntry[], mark: 'line' | 'area' = 'line'): Markup {
  const swatch =
    mark === 'line'
      ? html`<line x1="0" y1="6" x2="22" y2="6" class="curve"></line>`
      : html`<rect x="5" y="1" width="12" height="10" class="area"></rect>`;
  return html`<ul class="legend">
    ${entries.map(
      ({ name, style }) =>
        html`<li><svg class="${style}" width="22" height="12" aria-hidden="true">${swatch}</svg>${name}</li>`,
    )}
  </ul>`;
}

function scrolling(label: string, table: Markup): Markup {
  return html`<div class="scroll" role="region" aria-label="${`Table: ${label}`}" tabindex="0">
    ${table}
  </div>`;
}

function statusOf(text: string): Content {
  const kind = toneOfWord.get(text);
  return kind === undefined ? text : html`<span class="${kind}">${text}</span>`;
}
