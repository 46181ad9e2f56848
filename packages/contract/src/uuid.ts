import { hash } from 'node:crypto';

/** As RFC 9562 has them: random, or ordered by a time in milliseconds and random behind it. */
export type UuidVersion = 4 | 7;

/** 2026-01-01 in UTC: key 0 of version 7 is of that millisecond, and each next key of the next one. */
const firstMs = 1_767_225_600_000;
const digits = 32;

/**
 * The UUID of a key, 0 … 2³² − 1, in 32 hexadecimal digits: those of the SHA-256 of its decimal digits in place of random ones, and the key
 * itself in the last eight, which order nothing.
 */
function hexOf(version: UuidVersion, key: number): string {
  const drawn = hash('sha256', String(key));
  const first = version === 4 ? drawn.slice(0, 12) : (firstMs + key).toString(16).padStart(12, '0');
  return `${first}${version}${drawn.slice(13, 16)}a${drawn.slice(17, 24)}${key.toString(16).padStart(8, '0')}`;
}

/** "5feceb66-ffc8-4f38-a952-786c00000000" */
export function uuidOf(version: UuidVersion, key: number): string {
  const hex = hexOf(version, key);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The 16 bytes of a key's UUID. */
export function uuidBytes(version: UuidVersion, key: number): Buffer {
  return Buffer.from(hexOf(version, key), 'hex');
}

/** The key of a UUID, as text with or without hyphens or as bytes; null for one that is of no key. */
export function keyOfUuid(version: UuidVersion, uuid: string | Uint8Array): number | null {
  const hex =
    typeof uuid === 'string' ? uuid.replaceAll('-', '').toLowerCase() : Buffer.from(uuid).toString('hex');
  if (hex.length !== digits) return null;
  const key = Number.parseInt(hex.slice(24), 16);
  return Number.isNaN(key) || hexOf(version, key) !== hex ? null : key;
}
