import { retriesMax, workloadShapeSchema } from '@fair-bench/contract';
import { z } from 'zod';

const variable = 'FAIR_BENCH_RPC_SERVER';

/** The settings of a server process, in one JSON value so that they arrive completely or not at all. */
const serverSettingsSchema = z.strictObject({
  host: z.string().default('127.0.0.1'),
  /** 0 takes a free port; the line on standard output names it. */
  port: z.int().min(0).max(65_535).default(0),
  controlPort: z.int().min(0).max(65_535).default(0),
  processes: z.int().min(1).max(1024).default(1),
  /** Database connections of each process. */
  poolSizePerProcess: z.int().min(0).default(0),
  /** Attempts beyond the first after a serialization failure or a deadlock. */
  retriesMax: z.int().min(0).max(100).default(retriesMax),
  /** The operations that it serves. */
  workload: workloadShapeSchema,
  /** The file URL of the module that carries them out; null where the server needs none. */
  binding: z
    .url({ protocol: /^file$/ })
    .nullable()
    .default(null),
  /** The implementation's own settings, parsed by its own schema. */
  backend: z.json().default({}),
});
export type ServerSettings = z.infer<typeof serverSettingsSchema>;
export type ServerSettingsInput = z.input<typeof serverSettingsSchema>;

/** The environment that passes these settings to a server process. */
export function environmentOf(settings: ServerSettingsInput): Record<string, string> {
  return { [variable]: JSON.stringify(settings) };
}

/** Reads the settings; the one place where the server looks at the environment. */
export function readServerSettings(): ServerSettings {
  const text = process.env[variable];
  if (text === undefined) {
    throw new Error(`rpc server: ${variable} is not set; it takes the settings as JSON (see PROTOCOL.md)`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`rpc server: ${variable} is not JSON; it takes the settings as JSON (see PROTOCOL.md)`, {
      cause,
    });
  }
  const parsed = serverSettingsSchema.safeParse(value);
  if (!parsed.success) {
    throw new Error(`rpc server: ${variable} does not fit: ${z.prettifyError(parsed.error)}`, {
      cause: parsed.error,
    });
  }
  return parsed.data;
}
