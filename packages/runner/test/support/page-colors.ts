import type { Page } from 'playwright-core';
import { z } from 'zod';

type Color = readonly [red: number, green: number, blue: number];

const colorsSchema = z.object({
  page: z.string(),
  panel: z.string(),
  texts: z.array(z.string()).length(5),
  marks: z.array(z.string()).length(8),
});

/** Runs in the page: the colours as they are computed, of texts and of the marks of eight targets. */
const readColors = `(() => {
  const colorOf = (element, property) => getComputedStyle(element).getPropertyValue(property);
  const of = (selector, property) => colorOf(document.querySelector(selector), property);
  const marks = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => {
    const probe = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    probe.setAttribute('class', 'curve c' + index);
    document.querySelector('svg.chart').append(probe);
    return colorOf(probe, 'stroke');
  });
  const texts = ['body', '.sub', '.answer h1', 'figcaption a', 'summary'].map((one) => of(one, 'color'));
  return { page: of('body', 'background-color'), panel: of('figure', 'background-color'), texts, marks };
})()`;

export async function colorsOf(page: Page) {
  const found = colorsSchema.parse(await page.evaluate(readColors));
  const all = { page: rgb(found.page), panel: rgb(found.panel) };
  return { ...all, texts: found.texts.map(rgb), marks: found.marks.map(rgb) };
}

function rgb(text: string): Color {
  const [red, green, blue] = [...text.matchAll(/\d+/g)].map(Number);
  if (red === undefined || green === undefined || blue === undefined) throw new Error(`no colour: "${text}"`);
  return [red, green, blue];
}

/** Relative luminance and contrast as in WCAG 2.2. */
export function luminance([red, green, blue]: Color): number {
  const linear = (value: number): number =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(one: Color, other: Color): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}
