import type { JsonObject } from '@fair-bench/contract';
import { type OpenByKey, shareOpen } from '@fair-bench/engine';
import { z } from 'zod';
import { Control } from './control.ts';

/** How an engine is opened; as `native/engines/src/engine.rs` reads it. */
export interface OpenSettings {
  readonly directory: string;
  readonly durability: 'durable' | 'async';
  readonly cacheMb: number;
}

const openedSchema = z.strictObject({
  version: z.string(),
  /** `read`: read back from the engine; otherwise it is what was requested. */
  settings: z.record(z.string(), z.strictObject({ value: z.string(), read: z.boolean() })),
  scans: z.boolean(),
});
export type InForce = z.infer<typeof openedSchema>;

/** An open engine, closed when the last of its users in this process has ended. */
export type ControlInUse = AsyncDisposable & OpenControl;

interface OpenControl {
  readonly control: Control;
  readonly inForce: InForce;
}

declare global {
  // A name of the process: a test's own loader has a second copy of this module, and most engines are opened once.
  var fairBenchNativeEngines: OpenByKey<OpenControl> | undefined;
}
const engines = (globalThis.fairBenchNativeEngines ??= { opened: new Map(), closing: new Map() });

/** Opens the engine of a directory in a process of its own, or shares the one that has it open. */
export async function useControl(
  name: string,
  program: string,
  settings: OpenSettings,
  steps: JsonObject,
): Promise<ControlInUse> {
  const { value, ...disposable } = await shareOpen(
    engines,
    settings.directory,
    async () => await start(name, program, settings, steps),
    async ({ control }) => await control.close(),
  );
  return { ...value, ...disposable };
}

async function start(
  name: string,
  program: string,
  settings: OpenSettings,
  steps: JsonObject,
): Promise<OpenControl> {
  const control = new Control(name, program);
  try {
    const inForce = openedSchema.parse(await control.ask({ do: 'open', settings: { ...settings }, steps }));
    return { control, inForce };
  } catch (error) {
    await control.close();
    throw error;
  }
}
