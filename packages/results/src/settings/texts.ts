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

/** A size of memory (`512m`, `2g`) of at least `minMb`, in MiB. */
export function sizeInMb(minMb: number): ValueText {
  return {
    accepts: `a size of at least ${minMb}m, such as 256m or 2g`,
    parse: (text) => {
      const [, count, unit] = /^(\d{1,7})([mg])$/.exec(text) ?? [];
      const size = Number(count) * (unit === 'g' ? 1024 : 1);
      return size >= minMb ? `${size}m` : null;
    },
  };
}

/** These words as well. */
export function orWord(word: string, { accepts, parse }: ValueText): ValueText {
  return { accepts: `${word}, or ${accepts}`, parse: (text) => (text === word ? text : parse(text)) };
}
