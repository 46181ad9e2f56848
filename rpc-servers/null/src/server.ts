import { amountMax, applied, declined, refused, type JsonObject, type Outcome } from '@fair-bench/contract';
import type { RpcBackend, RpcServerImplementation } from '@fair-bench/rpc/server';
import { nullControlRequestSchema, nullServerSettingsSchema, type NullServerSettings } from './control.ts';
import { PreciseDelay } from './precise-delay.ts';

/** Balances in memory and no database: the ceiling of whatever is measured through the RPC protocol. */
export const nullServer: RpcServerImplementation<NullServerSettings> = {
  name: 'null',
  settingsSchema: nullServerSettingsSchema,
  openBackend: (settings) => Promise.resolve(new NullBackend(settings.delayMs)),
};

class NullBackend implements RpcBackend {
  #balances = new BigInt64Array(0);
  readonly #delayMs: number;
  readonly #delay: PreciseDelay | null;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
    this.#delay = delayMs > 0 ? new PreciseDelay(delayMs) : null;
  }

  transfer(source: number, target: number, amount: bigint): Outcome | Promise<Outcome> {
    if (this.#delay === null) return this.#apply(source, target, amount);
    return this.#delay.wait().then(() => this.#apply(source, target, amount));
  }

  #apply(source: number, target: number, amount: bigint): Outcome {
    const balances = this.#balances;
    const sourceBalance = balances[source];
    const targetBalance = balances[target];
    if (sourceBalance === undefined || targetBalance === undefined) return declined('missing-account');
    if (sourceBalance < amount) return declined('insufficient-funds');
    if (targetBalance > amountMax - amount) {
      return refused('invalid-request', 'the balance of the target would be out of range');
    }
    balances[source] = sourceBalance - amount;
    balances[target] = targetBalance + amount;
    return applied;
  }

  settings(): Promise<Record<string, string>> {
    return Promise.resolve({ delayMs: String(this.#delayMs) });
  }

  recycle(): Promise<void> {
    return Promise.resolve();
  }

  control(request: JsonObject): Promise<JsonObject> {
    const parsed = nullControlRequestSchema.parse(request);
    if (parsed.ask === 'seed') {
      this.#balances = new BigInt64Array(parsed.accounts).fill(BigInt(parsed.initialBalance));
      return Promise.resolve({ status: 'ok' });
    }
    const page = this.#balances.subarray(parsed.from, parsed.from + parsed.count);
    return Promise.resolve({ balances: Array.from(page, String) });
  }

  close(): Promise<void> {
    this.#delay?.close();
    return Promise.resolve();
  }
}
