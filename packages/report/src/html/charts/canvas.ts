import { type Content, html, type Markup } from '../markup.ts';

/** Every chart is as wide as a phone's page in its own units; the page arranges them side by side. */
export const chartWidth = 360;

/** A drawing with a label for screen readers, which skip its content. */
export function canvas(name: string, height: number, content: Content): Markup {
  return html`<svg class="chart" role="img" aria-label="${name}" viewBox="0 0 ${chartWidth} ${px(height)}">
    ${content}
  </svg>`;
}

/** One decimal: more is invisible and costs bytes. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly kind?: 'tick' | 'name' | 'value';
}

export function label({ x, y, text, anchor = 'start', kind = 'tick' }: Label): Markup {
  return html`<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}" class="${kind}">${text}</text> `;
}

export function rule(x1: number, y1: number, x2: number, y2: number, kind = 'grid'): Markup {
  return html`<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" class="${kind}"></line> `;
}

/** A text of at most this many characters; the table behind the chart has all of it. */
export function shortened(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
}
