import { type OpenByKey, shareOpen } from './shared-open.ts';
import type { Engine, EngineSystem, OpenOptions } from './system.ts';

declare global {
  // A name of the thread: a test's own loader has a second copy of this module, and most engines are opened once.
  var fairBenchEngines: OpenByKey<Engine> | undefined;
}

/** The open engines of this thread, by their places. */
const engines = (globalThis.fairBenchEngines ??= { opened: new Map(), closing: new Map() });

/** An engine that is closed when the last of its users in this thread has ended. */
export interface EngineInUse extends AsyncDisposable {
  readonly engine: Engine;
}

/** Opens the engine in a directory, or shares the open one. */
export async function useEngine(
  system: EngineSystem,
  directory: string,
  options: OpenOptions,
): Promise<EngineInUse> {
  const { value: engine, ...disposable } = await shareOpen(
    engines,
    JSON.stringify([system.name, directory, options.durability, options.cacheMb]),
    async () => await system.open(directory, options),
    async (one) => await one.close(),
  );
  return { engine, ...disposable };
}
