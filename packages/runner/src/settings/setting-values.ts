/** What a value of a setting may be: its canonical text, or null. */
interface ValueText {
  readonly accepts: string;
  readonly parse: (text: string) => string | null;
}

/** In the characters that names allow. */
export function nameWord(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/-+$/g, '');
}

export function words(values: readonly string[]): ValueText {
  return { accepts: values.join(' or '), parse: (text) => (values.includes(text) ? text : null) };
}

export function wholeNumber(max: number): ValueText {
  return {
    accepts: `a whole number from 1 to ${max}`,
    parse: (text) => (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= max ? text : null),
  };
}
