import { fileURLToPath } from 'node:url';
import {
  blindObserver,
  type Connector,
  defineConnector,
  type RouteDefinition,
  type TargetOptions,
} from '@fair-bench/contract';
import type { InClientSystem, Settings } from '@fair-bench/engine';
import { anotherWorkload, inClientRoute } from '@fair-bench/engine/connector';
import { lackOfCargo, type NativeClient, prepareNativeClient } from '@fair-bench/native-client';
import type { Workload } from '@fair-bench/workload/execution';
import { z } from 'zod';
import { type InForce, type OpenSettings, useControl } from './opened.ts';
import { tablesOf } from './rows.ts';
import { stepsOf } from './steps.ts';

/** A storage engine in Rust that runs inside the native load client: what differs from others, and nothing else. */
export interface NativeEngineSystem extends InClientSystem {
  /**
   * The feature of `native/engines`, or the name of an engine outside the repository, whose program `FAIR_BENCH_<ENGINE>_BIN` names; and the protocol under `clients.native` in the manifest. */
  readonly engine: string;
  /** Whether one transaction can read a range of keys. */
  readonly scans: boolean;
  /** Whether one flush can cover the commits of several threads. */
  readonly sharesFlushes: boolean;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const extraSchema = z.strictObject({ cacheMb: z.coerce.number().int().min(1).default(256) });

/**
 * A route with the engine in the native load client's process. Its control plane is the same program: most engines are opened by one
 * process at a time.
 */
export function nativeEngineRoute(system: NativeEngineSystem): RouteDefinition {
  const { engine } = system;
  const route = inClientRoute(system, {
    problem: (_options, workload) => (workload === null ? null : problemWith(system, workload)),
    // Nothing is built: the run does it, and shows that it does.
    available: async () =>
      (await lackOfCargo({ root, signal: new AbortController().signal, engine })) ?? {
        available: true,
        provider: 'in-process',
        version: null,
      },
    async engineIn(directory, workload, { options, target }) {
      const program = await programOf(engine);
      if (!program.available) throw new Error(`${target}: ${program.reason}; ${program.remedy}`);
      const settings = openSettingsOf(directory, options);
      const steps = stepsOf(workload);
      const open = async () => await useControl(target, program.command, settings, steps);
      return {
        options: { settings: { ...settings }, steps, target, program: program.command },
        writersMax: system.sharesFlushes ? options.threadsMax : 1,
        tables: tablesOf(open, workload.tables),
        async inForce() {
          await using inUse = await open();
          return { version: inUse.inForce.version, ...settingsOf(inUse.inForce) };
        },
        // It was closed after the seeding: what an engine leaves for later was done then.
        prepare: () => Promise.resolve(),
        observe: () => Promise.resolve(blindObserver),
        async compact(into) {
          await using inUse = await open();
          return z.boolean().parse(await inUse.control.ask({ do: 'compact', into }));
        },
      };
    },
  });
  return { ...route, sessionsPath: fileURLToPath(new URL('./client.ts', import.meta.url)) };
}

/** A connector with this route alone, of the system that its engine is called like. */
export function nativeEngineConnector(system: NativeEngineSystem): Connector {
  const { engine, fairProfile } = system;
  return defineConnector({ system: engine, fairProfile, routes: { embedded: nativeEngineRoute(system) } });
}

const programs = new Map<string, Promise<NativeClient>>();

/** The engine's program, built once by this process. */
async function programOf(engine: string): Promise<NativeClient> {
  const { signal } = new AbortController();
  const program =
    programs.get(engine) ?? prepareNativeClient({ root, signal, onProgress: () => undefined, engine });
  programs.set(engine, program);
  return await program;
}

function problemWith({ title, scans }: NativeEngineSystem, workload: Workload) {
  stepsOf(workload);
  // Whether the parameters of a cell draw scans is seen by the load client.
  const isScan = ({ returns, weight }: Workload['operations'][number]): boolean =>
    returns.kind === 'scan' && weight > 0;
  const scan = scans ? undefined : workload.operations.find(isScan);
  if (scan === undefined) return null;
  const reason = `no transaction of ${title} reads a range, as the operation ${scan.name} does`;
  return { reason, remedy: anotherWorkload };
}

function openSettingsOf(directory: string, { durability, extra }: TargetOptions): OpenSettings {
  return { directory, durability, ...extraSchema.parse(extra) };
}

/** What the engine says that is in force, and what was only requested of it. */
function settingsOf({ settings }: InForce): { readonly settings: Settings; readonly requested: Settings } {
  const those = (isRead: boolean): Settings =>
    Object.fromEntries(
      Object.entries(settings).flatMap(([name, { value, read }]) => (read === isRead ? [[name, value]] : [])),
    );
  return { settings: those(true), requested: those(false) };
}
