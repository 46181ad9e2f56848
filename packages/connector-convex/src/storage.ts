import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Durability, type Facts, hasCode, isVolatile } from '@fair-bench/contract';
import { functionNames } from '@fair-bench/rpc-server-convex';
import { storageOf } from '@fair-bench/supervisor';
import type { AdminApi, DeploymentKind } from './admin-api.ts';
import type { ConvexOptions } from './options.ts';

export interface Storage {
  readonly kind: 'sqlite' | 'postgres' | 'mysql' | 'convex cloud' | 'unknown';
  /** Whether the kind was observed, or is the operator's declaration. */
  readonly source: 'read' | 'declared, not read' | 'not known';
  readonly place: Facts['storage'];
}

/** The database's file: in Docker's image, and where the backend runs without it. */
const sqliteFiles = ['db.sqlite3', 'convex_local_backend.sqlite3'];
const elsewhere: Facts['storage'] = { directory: null, fileSystem: 'unknown' };

/**
 * The deployment's storage. Observed if its data folder is readable: a write of ours must then show in the SQLite
 * file there. Otherwise as its own metrics name it, or as the operator declares it.
 */
export async function readStorage(
  api: AdminApi,
  kind: DeploymentKind,
  metrics: readonly string[] | null,
  options: ConvexOptions,
  signal: AbortSignal,
): Promise<Storage> {
  if (kind === 'cloud') return { kind: 'convex cloud', source: 'read', place: elsewhere };
  const { dataDirectory, storage } = options;
  if (dataDirectory !== undefined && (await writesTo(api, dataDirectory, signal))) {
    return { kind: 'sqlite', source: 'read', place: await storageOf(dataDirectory) };
  }
  for (const name of ['postgres', 'mysql'] as const) {
    if (metrics?.some((line) => new RegExp(`^\\w*_${name}_`).test(line)) === true) {
      return { kind: name, source: 'read', place: elsewhere };
    }
  }
  if (storage !== undefined) return { kind: storage, source: 'declared, not read', place: elsewhere };
  return { kind: 'unknown', source: 'not known', place: elsewhere };
}

/**
 * When a commit is acknowledged. The backend opens its SQLite file with SQLite's own defaults, a rollback journal and
 * `synchronous=FULL`, and answers after the commit (crates/sqlite of convex-backend). Convex documents that its cloud
 * replicates state durably (https://docs.convex.dev/production/state). The backend shows no setting of a PostgreSQL
 * or MySQL behind it, and a declared storage was not observed: neither counts as durable.
 */
export function durabilityOf({ kind, source, place }: Storage): Durability {
  if (isVolatile(place.fileSystem)) return 'none';
  return source === 'read' && (kind === 'sqlite' || kind === 'convex cloud') ? 'durable' : 'async';
}

async function writesTo(api: AdminApi, directory: string, signal: AbortSignal): Promise<boolean> {
  const before = await changedAt(directory);
  if (before === null) return false;
  await api.call(functionNames.mark, { mark: randomUUID() }, z.null(), signal);
  const after = await changedAt(directory);
  return after !== null && after > before;
}

/** When the database's file was last written, in nanoseconds; null without one. */
async function changedAt(directory: string): Promise<bigint | null> {
  for (const file of sqliteFiles) {
    try {
      return (await stat(join(directory, file), { bigint: true })).mtimeNs;
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
  return null;
}
