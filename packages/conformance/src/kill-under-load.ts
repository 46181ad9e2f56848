import { setTimeout as sleep } from 'node:timers/promises';
import type { Session, Transfer, TransferAccess } from '@fair-bench/contract';

/** A server that can be killed and started again on the same data, at the same address. */
export interface KillableServer {
  readonly access: TransferAccess;
  connect(signal: AbortSignal): Promise<Session<Transfer>>;
  /** Sends SIGKILL to all of its processes at once, and resolves when they are gone. */
  kill(): Promise<void>;
  /** Resolves when it answers again. */
  restart(): Promise<void>;
}

/** Gives `use` a durable server of its own, and removes it and its data afterwards. */
export type WithKillableServer = (
  use: (server: KillableServer) => Promise<KillFigures>,
) => Promise<KillFigures>;

/** Counts of transfers. */
export interface KillFigures {
  readonly acknowledged: number;
  /** Outstanding when the connection was lost. */
  readonly inDoubt: number;
  /** Acknowledged before the kill, and not there after the restart. */
  readonly lost: number;
  /** There after the restart beyond what was acknowledged or in doubt. */
  readonly invented: number;
}

const sessionCount = 16;
const depth = 8;
const slots = sessionCount * depth;
const initialBalance = 1_000_000_000n;
const stepTimeoutMs = 20_000;

/**
 * Loads a server with 128 operations outstanding, kills it after `loadMs`, starts it again and compares. Each slot
 * moves 1 at a time from an account of its own to another, so that what was lost is counted slot by slot.
 */
export async function killUnderLoad(server: KillableServer, loadMs: number): Promise<KillFigures> {
  await server.access.seed({ accounts: 2 * slots, initialBalance }, AbortSignal.timeout(stepTimeoutMs));
  const sessions: Session<Transfer>[] = [];
  try {
    for (let index = 0; index < sessionCount; index += 1) {
      sessions.push(await server.connect(AbortSignal.timeout(stepTimeoutMs)));
    }
    const counts = Array.from({ length: slots }, async (_, slot) => {
      const session = sessions[slot % sessionCount];
      if (session === undefined) throw new Error(`slot ${slot} has no session`);
      return await transferUntilLost(session, slot);
    });
    await sleep(loadMs);
    await server.kill();
    const told = await Promise.all(counts);
    await server.restart();
    return compare(told, await movedBySlot(server.access));
  } finally {
    await Promise.all(sessions.map(async (session) => await session.close()));
  }
}

/** One line of figures, for a test to print. */
export function describeKill({ acknowledged, inDoubt, lost }: KillFigures): string {
  return `${acknowledged} acknowledged, ${inDoubt} in doubt, ${lost} lost`;
}

interface Told {
  readonly acknowledged: number;
  readonly inDoubt: number;
}

async function transferUntilLost(session: Session<Transfer>, slot: number): Promise<Told> {
  const transfer = { source: 2 * slot, target: 2 * slot + 1, amount: 1n };
  for (let acknowledged = 0; ; acknowledged += 1) {
    const outcome = await session.execute(transfer);
    if (outcome.kind === 'declined') throw new Error(`slot ${slot} was declined: ${outcome.reason}`);
    if (outcome.kind === 'fault') return { acknowledged, inDoubt: outcome.inDoubt ? 1 : 0 };
  }
}

async function movedBySlot(access: TransferAccess): Promise<number[]> {
  const moved = Array.from({ length: slots }, () => 0);
  for await (const { ids, balances } of access.balances(AbortSignal.timeout(stepTimeoutMs))) {
    for (const [index, id] of ids.entries()) {
      if (id % 2 === 1) moved[(id - 1) / 2] = Number((balances[index] ?? 0n) - initialBalance);
    }
  }
  return moved;
}

function compare(told: readonly Told[], moved: readonly number[]): KillFigures {
  const figures = { acknowledged: 0, inDoubt: 0, lost: 0, invented: 0 };
  for (const [slot, { acknowledged, inDoubt }] of told.entries()) {
    const there = moved[slot] ?? 0;
    figures.acknowledged += acknowledged;
    figures.inDoubt += inDoubt;
    figures.lost += Math.max(0, acknowledged - there);
    figures.invented += Math.max(0, there - acknowledged - inDoubt);
  }
  return figures;
}
