import { rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  type Availability,
  blindObserver,
  type Deployment,
  type Durability,
  type FairSetting,
  messageOf,
  type ProvisionContext,
  type RouteDefinition,
  type TargetOptions,
} from '@fair-bench/contract';
import { inClientFacts, type Settings } from '@fair-bench/engine';
import { lackOfCargo, type NativeClient, prepareNativeClient } from '@fair-bench/native-client';
import { storageOf } from '@fair-bench/supervisor';
import type { Workload } from '@fair-bench/workload';
import { z } from 'zod';
import { type InForce, type OpenSettings, useControl } from './opened.ts';
import { tablesOf } from './rows.ts';
import { stepsOf, workloadOf } from './steps.ts';

/** A storage engine in Rust that runs inside the native load client: what differs from others, and nothing else. */
export interface NativeEngineSystem {
  /**
   * The feature of `native/engines`, or the name of an engine outside the repository, whose program `FAIR_BENCH_<ENGINE>_BIN` names; and the protocol under `clients.native` in the manifest. */
  readonly engine: string;
  readonly title: string;
  /** When a commit is acknowledged, as the settings say; with the manual's page that says so. */
  durabilityOf(settings: Readonly<Record<string, string>>): Durability;
  /** The settings, by their names, that make this engine durable and comparable. */
  readonly fairProfile: readonly FairSetting[];
  /** Whether one transaction can read a range of keys. */
  readonly scans: boolean;
  /** Whether one flush can cover the commits of several threads. */
  readonly sharesFlushes: boolean;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const extraSchema = z.strictObject({ cacheMb: z.coerce.number().int().min(1).default(256) });

/**
 * A route with the engine in the native load client's process. Its control plane is the same program, which has the engine open only
 * while it is needed: most engines are opened by one process at a time.
 */
export function nativeEngineRoute(system: NativeEngineSystem): RouteDefinition {
  return {
    probe: async (options) => await probe(system, options),
    provision: async (context) => await provision(system, context),
    sessionsPath: fileURLToPath(new URL('./client.ts', import.meta.url)),
  };
}

async function probe(system: NativeEngineSystem, options: TargetOptions): Promise<Availability> {
  const problem = problemWith(system, options);
  if (problem !== null) return { available: false, ...problem };
  // Nothing is built: the run does it, and shows that it does.
  const lack = await lackOfCargo({ root, signal: new AbortController().signal, engine: system.engine });
  return lack ?? { available: true, provider: 'in-process', version: null };
}

const programs = new Map<string, Promise<NativeClient>>();

/** The engine's program, built once by this process. */
async function programOf({ engine }: NativeEngineSystem): Promise<NativeClient> {
  const { signal } = new AbortController();
  const program =
    programs.get(engine) ?? prepareNativeClient({ root, signal, onProgress: () => undefined, engine });
  programs.set(engine, program);
  return await program;
}

function problemWith(
  { title, scans }: NativeEngineSystem,
  { url, workload }: TargetOptions,
): { readonly reason: string; readonly remedy: string } | null {
  if (url !== undefined) {
    const reason = `${title} runs inside the load client and has no URL`;
    return { reason, remedy: 'leave the URL out: a directory is created for the run' };
  }
  const remedy = 'leave this target out, or name another workload';
  try {
    const resolved = workload === null ? null : workloadOf(workload.description);
    if (resolved === null) return null;
    stepsOf(resolved);
    // Whether the parameters of a cell draw scans is seen by the load client.
    const isScan = ({ returns, weight }: Workload['operations'][number]): boolean =>
      returns.kind === 'scan' && weight > 0;
    const scan = scans ? undefined : resolved.operations.find(isScan);
    if (scan === undefined) return null;
    return { reason: `no transaction of ${title} reads a range, as the operation ${scan.name} does`, remedy };
  } catch (error) {
    return { reason: messageOf(error), remedy };
  }
}

async function provision(system: NativeEngineSystem, context: ProvisionContext): Promise<Deployment> {
  const { options, target, supervisor } = context;
  const problem = problemWith(system, options);
  if (problem !== null) throw new Error(`${target}: ${problem.reason}; ${problem.remedy}`);
  const program = await programOf(system);
  if (!program.available) throw new Error(`${target}: ${program.reason}; ${program.remedy}`);
  if (options.workload === null) throw new Error(`${target}: no workload is chosen; name one`);
  const { description } = options.workload;
  const workload: Workload = workloadOf(description);
  const directory = await supervisor.directory(target);
  const { cacheMb } = extraSchema.parse(options.extra);
  const settings: OpenSettings = { directory, durability: options.durability, cacheMb };
  const steps = stepsOf(workload);
  const open = async () => await useControl(target, program.command, settings, steps);
  return {
    endpoint: {
      url: pathToFileURL(directory).href,
      options: { settings: { ...settings }, steps, description, target, program: program.command },
    },
    // The engine is in the load client's.
    processes: [],
    async check() {
      await using _ = await open();
    },
    // It was closed after the seeding: what an engine leaves for later was done then.
    prepare: () => Promise.resolve(),
    async facts() {
      // It is opened as the timed ones are.
      await using inUse = await open();
      const writersMax = system.sharesFlushes ? options.threadsMax : 1;
      const { inForce } = inUse;
      return {
        ...inClientFacts(system, inForce.version, settingsOf(inForce)),
        writersMax,
        storage: await storageOf(directory),
      };
    },
    counters: () => Promise.resolve({}),
    inFlight: () => Promise.resolve(null),
    observe: () => Promise.resolve(blindObserver),
    tables: tablesOf(open, workload.tables),
    async compact(into) {
      await using inUse = await open();
      return z.boolean().parse(await inUse.control.ask({ do: 'compact', into }));
    },
    async close() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What the engine says that is in force, and what was only requested of it. */
function settingsOf({ settings }: InForce): { readonly settings: Settings; readonly requested: Settings } {
  const those = (isRead: boolean): Settings =>
    Object.fromEntries(
      Object.entries(settings).flatMap(([name, { value, read }]) => (read === isRead ? [[name, value]] : [])),
    );
  return { settings: those(true), requested: those(false) };
}
