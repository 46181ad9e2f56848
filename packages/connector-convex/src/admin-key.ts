import { environmentValue } from './env.ts';

const stars = '***';

/** A deployment's admin key. Printing it, or writing it as JSON, gives stars. */
export class AdminKey {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** In the form of the HTTP API; only for requests. */
  get authorization(): string {
    return `Convex ${this.#value}`;
  }

  /** Only for the environment of a child process. */
  reveal(): string {
    return this.#value;
  }

  /** A text by another program, without the key and its secret half. */
  redact(text: string): string {
    const secret = this.#value.slice(this.#value.indexOf('|') + 1);
    return [this.#value, secret].reduce(
      (clean, part) => (part === '' ? clean : clean.replaceAll(part, stars)),
      text,
    );
  }

  toString(): string {
    return stars;
  }

  toJSON(): string {
    return stars;
  }
}

/** The key in the environment under this name, or null. */
export function adminKeyNamed(variable: string): AdminKey | null {
  const value = environmentValue(variable);
  return value === null ? null : new AdminKey(value.trim());
}
