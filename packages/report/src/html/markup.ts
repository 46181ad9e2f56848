/** Text that is already markup. Everything else that goes into a page is escaped. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type Content = Markup | string | number | null | readonly Content[];

/**
 * A template of HTML or SVG. Values are escaped for text and for quoted attributes, unless they are Markup; lists are
 * joined, and null is empty. So the name of a target, or a reason, never becomes markup.
 */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(parts.map((part, index) => `${part}${textOf(values[index] ?? null)}`).join(''));
}

/** A bulleted list; null without a line. */
export function list(lines: readonly Content[], kind = ''): Markup | null {
  if (lines.length === 0) return null;
  return html`<ul${kind === '' ? '' : html` class="${kind}"`}>
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}

function textOf(content: Content): string {
  if (content === null) return '';
  if (content instanceof Markup) return content.toString();
  if (typeof content === 'object') return content.map(textOf).join('');
  return escape(String(content));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Control characters, and those that reverse the direction of text, could hide its content. */
const special = /[&<>"'\u202A-\u202E\u2066-\u2069]|[^\P{Cc}\n]/gu;

function escape(text: string): string {
  return text.replaceAll(special, (character) => entities[character] ?? '\uFFFD');
}
