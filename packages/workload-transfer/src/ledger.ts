import type { EncodedLedger, JsonObject, Ledger, Transfer } from '@fair-bench/contract';
import { addEncodedNets, encodeNets, netOverflow, parseInDoubt } from './ledger-format.ts';
import type { TransferParameters } from './parameters.ts';

/** An empty ledger. Its memory is 8 bytes per account, which the system gives page by page when touched. */
export function createTransferLedger(parameters: TransferParameters): Ledger<Transfer> {
  return new TransferLedger(parameters.accounts);
}

class TransferLedger implements Ledger<Transfer> {
  readonly #nets: Float64Array;
  readonly #inDoubt: JsonObject[] = [];
  // A big integer becomes a number by its two halves: Number(amount) would cost more than all the rest.
  readonly #amount = new BigInt64Array(1);
  readonly #amountBytes = new DataView(this.#amount.buffer);
  #applied = 0;

  constructor(accounts: number) {
    this.#nets = allocateNets(accounts);
  }

  recordApplied(operation: Transfer): void {
    this.#amount[0] = operation.amount;
    const amount = this.#amountNumber();
    const { source, target } = operation;
    const sourceNet = (this.#nets[source] ?? Number.NaN) - amount;
    // Also false for NaN, that is for an account that does not exist.
    if (!(Math.abs(sourceNet) <= Number.MAX_SAFE_INTEGER)) throw this.#refusal(source);
    const targetNet = (this.#nets[target] ?? Number.NaN) + amount;
    if (!(Math.abs(targetNet) <= Number.MAX_SAFE_INTEGER)) throw this.#refusal(target);
    this.#applied += 1;
    // One after the other, so that a transfer to the same account has no effect.
    this.#nets[source] = sourceNet;
    this.#nets[target] = (this.#nets[target] ?? 0) + amount;
  }

  recordInDoubt(operation: Transfer): void {
    this.#inDoubt.push({
      source: operation.source,
      target: operation.target,
      amount: operation.amount.toString(),
    });
  }

  merge(encoded: EncodedLedger): void {
    parseInDoubt(encoded.inDoubt, this.#nets.length);
    this.#applied += addEncodedNets(encoded.bytes, this.#nets);
    this.#inDoubt.push(...encoded.inDoubt);
  }

  encode(): EncodedLedger {
    return { bytes: encodeNets(this.#nets, this.#applied), inDoubt: [...this.#inDoubt] };
  }

  #amountNumber(): number {
    return (
      this.#amountBytes.getInt32(highOffset, littleEndian) * 4_294_967_296 +
      this.#amountBytes.getUint32(4 - highOffset, littleEndian)
    );
  }

  #refusal(account: number): Error {
    return account < this.#nets.length
      ? netOverflow(account)
      : new Error(`transfer ledger: account ${account} is not one of ${this.#nets.length}`);
  }
}

const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const highOffset = littleEndian ? 4 : 0;

export function allocateNets(accounts: number): Float64Array {
  try {
    return new Float64Array(accounts);
  } catch (cause) {
    const mib = Math.ceil((accounts * 8) / 2 ** 20);
    throw new Error(`transfer ledger: no room for ${accounts} accounts (${mib} MiB); use fewer accounts`, {
      cause,
    });
  }
}
