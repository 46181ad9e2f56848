import type { SharedService } from '@fair-bench/contract';

const checkTimeoutMs = 5_000;

interface Entry {
  readonly starting: Promise<SharedService>;
  readonly targets: Set<string>;
}

/** Holds what is kept, like a target. */
const keeper = 'kept services';

type Starter<S> = () => Promise<S>;

/**
 * Services that several targets use, each started once. A service is closed when its last target releases it; one
 * that no longer answers is closed and restarted.
 */
export class SharedServices {
  readonly #entries = new Map<string, Entry>();

  /** The service of `key`, on behalf of `target`. Rejects, for all who wait for it, when it cannot be started. */
  async acquire<S extends SharedService>(target: string, key: string, start: Starter<S>): Promise<S> {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      // Before it is awaited: a target that is released meanwhile must not close it.
      entry.targets.add(target);
      const service = await entry.starting;
      if (startedBy(start, service) && (await answers(service))) return service;
      if (this.#entries.get(key) === entry) await this.#close(key);
      return await this.acquire(target, key, start);
    }
    const starting = start();
    const started = { starting, targets: new Set([target]) };
    this.#entries.set(key, started);
    starting.catch(() => {
      if (this.#entries.get(key) === started) this.#entries.delete(key);
    });
    return await starting;
  }

  /** Keeps what `target` acquired until the keeper, one of the targets, is released. */
  keep(target: string): void {
    for (const { targets } of this.#entries.values()) if (targets.has(target)) targets.add(keeper);
  }

  /** Releases what `target` acquired; a service that was started on another ends before it. */
  async release(target: string): Promise<void> {
    for (const [key, entry] of [...this.#entries].toReversed()) {
      if (entry.targets.delete(target) && entry.targets.size === 0) await this.#close(key);
    }
  }

  /** The targets that hold a service. */
  targets(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ targets }) => [...targets]);
  }

  async #close(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    // One that cannot be started has nothing to close.
    await entry?.starting.then(
      async (service) => await service.close(),
      () => undefined,
    );
  }
}

/** A key identifies one type of service: every user of the key would start the same. */
function startedBy<S extends SharedService>(_start: Starter<S>, service: SharedService): service is S {
  return typeof service.check === 'function';
}

async function answers(service: SharedService): Promise<boolean> {
  return await service.check(AbortSignal.timeout(checkTimeoutMs)).then(
    () => true,
    () => false,
  );
}
