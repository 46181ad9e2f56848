import { transferCallText } from './transfer-function.ts';

/*
 * The messages of the prepared call, byte by byte (PostgreSQL's manual, "Message Formats"). Integers are
 * big-endian; a message is its type, the length of the rest with the length itself, and the rest.
 */

const statement = 'fair_bench_transfer\0';
const int8Oid = 20;
const portal = '\0';

// Type, length, portal, statement, one format for all parameters, their number; then length and value of each.
const firstParameterAt = 1 + 4 + portal.length + statement.length + 2 + 2 + 2;
/** Where the eight bytes of each parameter are in `callMessage`. */
export const bindSourceAt = firstParameterAt + 4;
export const bindTargetAt = bindSourceAt + 12;
export const bindAmountAt = bindTargetAt + 12;

/** Parse and Sync. */
export function parseMessage(): Buffer {
  const parameters = int16s(3) + int32s(int8Oid, int8Oid, int8Oid);
  return Buffer.from(message('P', `${statement}${transferCallText}\0${parameters}`) + sync, 'latin1');
}

/** Bind with all parameters zero, Execute and Sync: one transfer in one transaction. */
export function callMessage(): Buffer {
  const value = int32s(8) + '\0'.repeat(8);
  // Parameters in binary, the result in text: the first saves work on both sides, the second is one digit.
  const bind = `${portal}${statement}${int16s(1, 1, 3)}${value.repeat(3)}${int16s(0)}`;
  return Buffer.from(message('B', bind) + message('E', portal + int32s(0)) + sync, 'latin1');
}

const sync = message('S', '');

function message(type: string, body: string): string {
  return type + int32s(body.length + 4) + body;
}

function int32s(...values: readonly number[]): string {
  return values.map((value) => int16s(value >>> 16, value & 0xffff)).join('');
}

function int16s(...values: readonly number[]): string {
  return values.map((value) => String.fromCharCode(value >>> 8, value & 0xff)).join('');
}
