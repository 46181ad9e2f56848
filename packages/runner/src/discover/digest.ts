import { hash } from 'node:crypto';

/** SHA-256 of a value's JSON, hexadecimal. Integers of 64 bits and infinity, for which JSON has no form, are texts. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' || one === Infinity ? String(one) : one,
  );
  return hash('sha256', text);
}
