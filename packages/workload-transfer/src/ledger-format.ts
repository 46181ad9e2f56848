import { transferJsonSchema, type JsonObject, type Transfer } from '@fair-bench/contract';

/**
 * The ledger's bytes, little-endian: a header of 24 bytes (magic, u32 version, u64 applied operations,
 * u64 records), then per account with a net effect other than 0, in ascending order, u32 account and i64
 * net effect. See SPECIFICATION.md.
 */
const magic = 0x4c54_4246; // The bytes "FBTL".
const version = 1;
const headerBytes = 24;
const recordBytes = 12;

/** Encodes net effects, each a whole number of at most 2⁵³ − 1. Allocates the result and nothing else. */
export function encodeNets(nets: Float64Array, applied: number): Uint8Array {
  let records = 0;
  for (const net of nets) if (net !== 0) records += 1;
  const view = new DataView(new ArrayBuffer(headerBytes + records * recordBytes));
  view.setUint32(0, magic, true);
  view.setUint32(4, version, true);
  setInt64(view, 8, applied);
  setInt64(view, 16, records);
  let offset = headerBytes;
  for (let account = 0; account < nets.length; account += 1) {
    const net = nets[account] ?? 0;
    if (net === 0) continue;
    view.setUint32(offset, account, true);
    setInt64(view, offset + 4, net);
    offset += recordBytes;
  }
  return new Uint8Array(view.buffer);
}

/**
 * Adds encoded net effects onto `nets` and returns the number of applied operations. Throws when the bytes
 * are not what `encodeNets` writes for this many accounts.
 */
export function addEncodedNets(bytes: Uint8Array, nets: Float64Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < headerBytes || view.getUint32(0, true) !== magic) {
    throw corrupt('it does not begin with the ledger header');
  }
  const found = view.getUint32(4, true);
  if (found !== version) throw corrupt(`it has version ${found}, this reader knows version ${version}`);
  const applied = getInt64(view, 8);
  const records = getInt64(view, 16);
  if (bytes.byteLength !== headerBytes + records * recordBytes) {
    throw corrupt(`it says ${records} records and has ${bytes.byteLength} bytes`);
  }
  let previous = -1;
  const sum = new Sum();
  for (let offset = headerBytes; offset < bytes.byteLength; offset += recordBytes) {
    const account = view.getUint32(offset, true);
    const net = getInt64(view, offset + 4);
    if (account <= previous) throw corrupt(`account ${account} follows account ${previous}`);
    if (account >= nets.length) throw corrupt(`account ${account} is not one of ${nets.length}`);
    const total = (nets[account] ?? 0) + net;
    if (!Number.isSafeInteger(net) || !Number.isSafeInteger(total)) throw netOverflow(account);
    nets[account] = total;
    sum.add(net);
    previous = account;
  }
  // Transfers create no money; bytes that do were not written by a ledger.
  if (sum.total() !== 0n) throw corrupt(`its net effects sum to ${sum.total()}, not to 0`);
  return applied;
}

/** Parses in-doubt transfers. Throws when one is not a transfer between two of the accounts. */
export function parseInDoubt(inDoubt: readonly JsonObject[], accounts: number): Transfer[] {
  return inDoubt.map((json, index) => {
    const parsed = transferJsonSchema.safeParse(json);
    if (!parsed.success) {
      throw new Error(`transfer ledger: in-doubt operation ${index} is no transfer; run the trial again`, {
        cause: parsed.error,
      });
    }
    const { source, target } = parsed.data;
    const amount = BigInt(parsed.data.amount);
    if (source === target || source >= accounts || target >= accounts || amount <= 0n) {
      throw corrupt(`in-doubt operation ${index} (${source} → ${target}, ${amount}) cannot have been sent`);
    }
    return { source, target, amount };
  });
}

export function netOverflow(account: number): Error {
  return new Error(
    `transfer ledger: the net effect on account ${account} is beyond 2^53 − 1; use smaller amounts or a shorter trial`,
  );
}

function corrupt(fact: string): Error {
  return new Error(`transfer ledger: corrupt: ${fact}; run the trial again`);
}

/** A sum of many safe integers, exact, with big integers only now and then. */
class Sum {
  #big = 0n;
  #small = 0;

  add(value: number): void {
    const next = this.#small + value;
    if (Number.isSafeInteger(next)) {
      this.#small = next;
      return;
    }
    this.#big += BigInt(this.#small);
    this.#small = value;
  }

  total(): bigint {
    return this.#big + BigInt(this.#small);
  }
}

function setInt64(view: DataView, offset: number, value: number): void {
  const high = Math.floor(value / 4_294_967_296);
  view.setUint32(offset, value - high * 4_294_967_296, true);
  view.setInt32(offset + 4, high, true);
}

/** Exact below 2⁵³; beyond it the result is no safe integer either. */
function getInt64(view: DataView, offset: number): number {
  return view.getInt32(offset + 4, true) * 4_294_967_296 + view.getUint32(offset, true);
}
