import { pathToFileURL } from 'node:url';
import { batchRefusal, type Cell, type RunPlan, type TrialPlan } from '@fair-bench/results';
import { loadClientArguments, type LoadClientCommand } from '@fair-bench/load-client';
import { type NativeClient, prepareNativeClient, type PrepareOptions } from '@fair-bench/native-client';
import type { FoundConnector } from '../discover/workspace.ts';
import type { LoadedConnector } from '../discover/load.ts';

/** The program of a cell's load client, and its connection to the target. */
export type CellClient =
  | { readonly available: true; readonly command: LoadClientCommand; readonly client: TrialPlan['client'] }
  | { readonly available: false; readonly reason: string; readonly remedy: string };

type ConnectorOf = (cell: Cell) => FoundConnector | undefined;

/** The load clients of a run's cells. */
export class LoadClients {
  readonly #connectorOf: ConnectorOf;
  /** By the engine inside it; null: none, for servers. */
  readonly #native: ReadonlyMap<string | null, NativeClient>;

  private constructor(connectorOf: ConnectorOf, native: ReadonlyMap<string | null, NativeClient>) {
    this.#connectorOf = connectorOf;
    this.#native = native;
  }

  /** Builds the native clients that cells need and support; not after an abort of the signal. */
  static async prepare(
    cells: readonly Cell[],
    { targets }: Pick<RunPlan, 'targets'>,
    connectors: ReadonlyMap<string, LoadedConnector>,
    options: PrepareOptions,
  ): Promise<LoadClients> {
    const names = new Map(targets.map(({ target, connector }) => [target, connector]));
    const connectorOf: ConnectorOf = ({ target }) => connectors.get(names.get(target) ?? target)?.found;
    const needed = new Set(
      cells.flatMap((cell) => {
        const connector = connectorOf(cell);
        return cell.client === 'native' && protocolOf(connector) !== null ? [engineOf(connector)] : [];
      }),
    );
    const native = new Map<string | null, NativeClient>();
    // One after the other: cargo lets only one build run.
    for (const engine of needed) {
      native.set(engine, await buildNative({ ...options, ...(engine === null ? {} : { engine }) }));
    }
    return new LoadClients(connectorOf, native);
  }

  of(cell: Cell): CellClient {
    const connector = this.#connectorOf(cell);
    const refusal =
      connector === undefined ? null : batchRefusal(cell.target, connector.manifest, cell.client, cell.batch);
    if (refusal !== null) return { available: false, reason: refusal, remedy: 'leave it out, or --batch 1' };
    return cell.client === 'node' ? nodeClient(cell, connector) : this.#nativeClient(cell, connector);
  }

  #nativeClient(cell: Cell, connector: FoundConnector | undefined): CellClient {
    const protocol = protocolOf(connector);
    if (protocol === null) {
      return {
        available: false,
        reason: `${cell.target}: the native load client does not support its protocol`,
        remedy: 'measure it by --client node',
      };
    }
    const native = this.#native.get(engineOf(connector));
    if (native === undefined)
      throw new Error(`${cell.id}: no cell of the plan needed the native load client`);
    if (!native.available) return native;
    return {
      available: true,
      command: { command: native.command, arguments: [] },
      client: { kind: 'native', protocol },
    };
  }
}

async function buildNative(options: PrepareOptions): Promise<NativeClient> {
  const interrupted = {
    available: false,
    reason: 'the run was interrupted before the native load client was built',
    remedy: 'run it again',
  } as const;
  if (options.signal.aborted) return interrupted;
  try {
    return await prepareNativeClient(options);
  } catch (error) {
    if (options.signal.aborted) return interrupted;
    throw error;
  }
}

function nodeClient(cell: Cell, connector: FoundConnector | undefined): CellClient {
  const module = connector?.nodeClientPath ?? null;
  if (module === null) {
    return {
      available: false,
      reason: `${cell.target}: the Node load client has no module for it`,
      remedy: 'measure it by --client native',
    };
  }
  const { href } = pathToFileURL(module);
  return {
    available: true,
    command: { command: process.execPath, arguments: [...loadClientArguments, '--preload', href] },
    client: { kind: 'node', module: href },
  };
}

/** The engine that is inside the load client; null where the client speaks to a server. */
export function engineOf(connector: FoundConnector | undefined): string | null {
  return connector?.manifest.factors.hop === 'in-process' ? protocolOf(connector) : null;
}

function protocolOf(connector: FoundConnector | undefined): string | null {
  return connector?.manifest.clients.native ?? null;
}
