import { type OpenByKey, shareOpen } from './shared-open.ts';
import type { Engine, EngineSystem, OpenOptions } from './system.ts';

declare global {
  // A name of the thread: a test's own loader has a second copy of this module, and most engines are opened once.
  var fairBenchEngines: OpenByKey<OpenEngine> | undefined;
}

/** The open engines of this thread, by their places. */
const engines = (globalThis.fairBenchEngines ??= { opened: new Map(), closing: new Map() });

interface OpenEngine {
  readonly engine: Engine;
  /** How long opening it took. */
  readonly openMs: number;
}

/** An engine that is closed when the last of its users in this thread has ended. */
export type EngineInUse = AsyncDisposable & OpenEngine;

/** Opens the engine in a directory, or shares the open one. */
export async function useEngine(
  system: EngineSystem,
  directory: string,
  options: OpenOptions,
): Promise<EngineInUse> {
  const { value, ...disposable } = await shareOpen(
    engines,
    JSON.stringify([system.name, directory, options.durability, options.cacheMb]),
    async () => {
      // Importing it is no part of opening it.
      await system.version();
      const startMs = performance.now();
      const engine = await system.open(directory, options);
      return { engine, openMs: performance.now() - startMs };
    },
    async ({ engine }) => await engine.close(),
  );
  return { ...value, ...disposable };
}
