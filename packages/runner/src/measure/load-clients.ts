import { pathToFileURL } from 'node:url';
import type { Cell, RunPlan, TrialPlan } from '@fair-bench/results';
import { loadClientArguments } from '@fair-bench/load-client';
import { type NativeClient, prepareNativeClient, type PrepareOptions } from '@fair-bench/native-client';
import type { FoundConnector } from '../discover/workspace.ts';
import type { LoadedConnector } from '../discover/load.ts';
import type { LoadClientCommand } from './load-client-process.ts';

/** The program of a cell's load client, and its connection to the target. */
export type CellClient =
  | { readonly available: true; readonly command: LoadClientCommand; readonly client: TrialPlan['client'] }
  | { readonly available: false; readonly reason: string; readonly remedy: string };

type ConnectorOf = (cell: Cell) => FoundConnector | undefined;

/** The load clients of a run's cells. */
export class LoadClients {
  readonly #connectorOf: ConnectorOf;
  readonly #native: NativeClient | null;

  private constructor(connectorOf: ConnectorOf, native: NativeClient | null) {
    this.#connectorOf = connectorOf;
    this.#native = native;
  }

  /** Builds the native client if a cell needs and supports it; not after an abort of the signal. */
  static async prepare(
    cells: readonly Cell[],
    { targets }: Pick<RunPlan, 'targets'>,
    connectors: ReadonlyMap<string, LoadedConnector>,
    options: PrepareOptions,
  ): Promise<LoadClients> {
    const names = new Map(targets.map(({ target, connector }) => [target, connector]));
    const connectorOf: ConnectorOf = ({ target }) => connectors.get(names.get(target) ?? target)?.found;
    const isNeeded = cells.some((cell) => cell.client === 'native' && protocolOf(connectorOf(cell)) !== null);
    return new LoadClients(connectorOf, isNeeded ? await buildNative(options) : null);
  }

  of(cell: Cell): CellClient {
    const connector = this.#connectorOf(cell);
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
    if (this.#native === null)
      throw new Error(`${cell.id}: no cell of the plan needed the native load client`);
    if (!this.#native.available) return this.#native;
    return {
      available: true,
      command: { command: this.#native.command, arguments: [] },
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

function protocolOf(connector: FoundConnector | undefined): string | null {
  return connector?.manifest.clients.native ?? null;
}
