import type { TrialEvidence } from '@fair-bench/analysis';
import type { ProcessRef } from '@fair-bench/contract';
import { readWrittenBytes } from '@fair-bench/supervisor';
import type { StorageProbe } from '../probes/storage.ts';

interface Written {
  readonly atMs: number;
  readonly bytes: number | null;
}

/** A shorter moment would be a matter of chance. */
const quietMsMin = 20;

/**
 * What the disk of a target's log does in a trial: its flushes, those that others make in the quiet moments before and after
 * the load, and what the target's own processes, or the load client with the engine in it, write to disks.
 */
export class DiskWatch {
  readonly #probe: StorageProbe | null;
  #processes: readonly Pick<ProcessRef, 'pid'>[];
  readonly #madeMs = performance.now();
  readonly #flushesMade: number | null;
  /** What others flush before the load. */
  #quietPerMs: number | null = null;
  #after: { readonly atMs: number; readonly flushes: number | null; readonly written: number | null } | null =
    null;
  #isInClient = false;
  #windowBegan: Written | null = null;
  #windowEnded: Written | null = null;
  /** Of the load client's process at the window's end. */
  #ended: number | null = null;
  #before: {
    readonly atMs: number;
    readonly flushes: number | null;
    readonly written: number | null;
  } | null = null;

  constructor(probe: StorageProbe | null, processes: readonly ProcessRef[]) {
    this.#probe = probe;
    this.#processes = processes;
    this.#flushesMade = this.#flushes();
  }

  /**
   * Call it before the load client has its plan.
   * @param client the load client's process, if the engine is in it.
   */
  begin(client?: number): void {
    if (client !== undefined) {
      this.#processes = [{ pid: client }];
      this.#isInClient = true;
    }
    const atMs = performance.now();
    this.#before = { atMs, flushes: this.#flushes(), written: readWrittenBytes(this.#processes) };
  }

  /** Call it when the warm-up begins. */
  loadBegins(): void {
    this.#quietPerMs = this.#ratePerMs(this.#madeMs, this.#flushesMade);
  }

  /** Call it when the load client has ended. */
  loadEnded(): void {
    const written = this.#isInClient ? this.#ended : readWrittenBytes(this.#processes);
    this.#after = { atMs: performance.now(), flushes: this.#flushes(), written };
  }

  /** Call it when the window begins. */
  windowBegins(): void {
    if (this.#isInClient) this.#windowBegan = this.#written();
  }

  /** Call it when the window has ended: a load client ends before anything is read of it. */
  windowEnds(): void {
    if (!this.#isInClient) return;
    this.#windowEnded = this.#written();
    this.#ended = readWrittenBytes(this.#processes);
  }

  /**
   * What the disk wrote in a window of `windowMs` in which the engine was in the load client; null for servers. On a busy machine the
   * phases are reported late: it is scaled from the time between the two readings. (`write_bytes` of a process does not tell: where
   * the kernel keeps a file in large folios, a page that becomes dirty counts as its whole folio, up to 1 MiB here.)
   */
  writtenInWindow(windowMs: number): number | null {
    const [began, ended] = [this.#windowBegan, this.#windowEnded];
    const bytes = difference(began?.bytes ?? null, ended?.bytes ?? null);
    if (began === null || ended === null || bytes === null || ended.atMs <= began.atMs) return null;
    return Math.round(bytes * (windowMs / (ended.atMs - began.atMs)));
  }

  /**
   * From `begin` to `loadEnded`. Call it some time after the load. Others count as flushing meanwhile as much as in the calmer one of
   * the two quiet moments: a program that flushes in one of them alone says nothing about the load between them.
   */
  seen(): Pick<TrialEvidence, 'storage' | 'writtenBytes'> {
    if (this.#before === null || this.#after === null) throw new Error('disk: seen before the load ended');
    const [before, after] = [this.#before, this.#after];
    const quietAfterPerMs = this.#ratePerMs(after.atMs, after.flushes);
    const quietFlushes =
      this.#quietPerMs === null || quietAfterPerMs === null
        ? null
        : Math.round(Math.min(this.#quietPerMs, quietAfterPerMs) * (after.atMs - before.atMs));
    const deviceFlushes = difference(before.flushes, after.flushes);
    const probe = this.#probe;
    return {
      storage: probe === null ? null : { fsyncPerSecond: probe.fsyncPerSecond, deviceFlushes, quietFlushes },
      writtenBytes: difference(before.written, after.written),
    };
  }

  /** Flushes since then; null after too short a time. */
  #ratePerMs(fromMs: number, fromFlushes: number | null): number | null {
    const elapsedMs = performance.now() - fromMs;
    const flushes = difference(fromFlushes, this.#flushes());
    return flushes === null || elapsedMs < quietMsMin ? null : flushes / elapsedMs;
  }

  #written(): Written {
    return { atMs: performance.now(), bytes: this.#probe?.written?.() ?? null };
  }

  #flushes(): number | null {
    return this.#probe?.flushes?.() ?? null;
  }
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before;
}
