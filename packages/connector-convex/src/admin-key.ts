import { environmentValue } from './env.ts';

const stars = '***';

/** A deployment's admin key. Whatever prints it, or writes it as JSON, gets stars. */
export class AdminKey {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** As the HTTP API takes it; for the wire alone. */
  get authorization(): string {
    return `Convex ${this.#value}`;
  }

  /** For the environment of a child process alone. */
  reveal(): string {
    return this.#value;
  }

  /** A text that somebody else wrote, without the key and without its secret half. */
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
