import { type Deployment, messageOf, type Observer, type Row } from '@fair-bench/contract';
import type { ClientEvent, Observed, Phase } from '@fair-bench/results';
import type { Canary, Workload } from '@fair-bench/workload';
import { RowsWatch } from './rows-watch.ts';

/** The interval between readings of the settings while the load runs. */
const settingsEveryMs = 250;
const problemsMax = 3;
/** Between readings of what is committed: no multiple of a slot of replies, so that some come right after a slot's end. */
const countEveryMs = 47;
/** The largest share of the time in which the system reads its count. */
const countShareMax = 0.02;
/** One look may miss an unflushed commit; looks of a whole trial do not. */
const lookEveryMs = 100;

type Counted = NonNullable<Observed['committedAtWindowBegin']>;
type CanaryEvent = Extract<ClientEvent, { type: 'canary' }>;

/**
 * Observes from outside while the load runs. It reads in this process, over a connection that is already open: the
 * load client may be the liar, and opening a connection would take longer than the lie.
 */
export class Watch {
  readonly #observer: Observer;
  readonly #workload: Workload;
  readonly #canaries: readonly Canary[];
  readonly #committedBefore: number | null;
  readonly #reads: Promise<void>[] = [];
  readonly #problems: string[] = [];
  readonly #settings: SettingsWatch;
  readonly #flushes: FlushWatch;
  readonly #rows: RowsWatch;
  #committedAtBegin: Promise<Counted | null> = Promise.resolve(null);
  #committedAtEnd: Promise<number | null> = Promise.resolve(null);
  readonly #committed: { readonly atMs: number; readonly count: number }[] = [];
  #counting: NodeJS.Timeout | undefined;
  #ended = false;
  #applied = 0;
  #read = 0;
  #visible = 0;
  #declined = 0;
  #readAfterMsMax: number | null = null;

  private constructor(
    observer: Observer,
    workload: Workload,
    canaries: readonly Canary[],
    committedBefore: number | null,
  ) {
    this.#observer = observer;
    this.#workload = workload;
    this.#canaries = canaries;
    this.#committedBefore = committedBefore;
    this.#settings = new SettingsWatch(observer.settings);
    this.#flushes = new FlushWatch(observer.unflushed);
    this.#rows = new RowsWatch(observer.lastWriters, workload);
  }

  static async open(
    deployment: Pick<Deployment, 'observe'>,
    workload: Workload,
    canaries: readonly Canary[],
    signal: AbortSignal,
  ): Promise<Watch> {
    const observer = await deployment.observe(signal);
    try {
      const watch = new Watch(observer, workload, canaries, (await observer.committed?.()) ?? null);
      await watch.#settings.read();
      return watch;
    } catch (error) {
      await observer.close();
      throw error;
    }
  }

  /** Call it when the load client reports a phase. */
  phase(phase: Phase): void {
    if (phase === 'warmup') {
      this.#settings.start();
      this.#flushes.start();
      this.#rows.start();
    }
    if (phase === 'window') {
      this.#committedAtBegin = this.#timed();
      this.#countLater();
    }
    if (phase === 'drain') {
      this.#ended = true;
      this.#committedAtEnd = this.#observer.committed?.() ?? Promise.resolve(null);
    }
    // They are awaited after the drain; until then a dead server must not end the run.
    for (const reading of [this.#committedAtBegin, this.#committedAtEnd]) reading.catch(() => {});
  }

  /** Call it at once when the load client reports a canary's outcome. */
  canary({ number, outcome, atMs }: CanaryEvent): void {
    const canary = this.#canaries[number];
    if (outcome === 'declined') this.#declined += 1;
    if (outcome !== 'applied' || canary === undefined) return;
    this.#applied += 1;
    this.#reads.push(
      this.#look(canary, atMs).catch((error: unknown) => {
        this.#problems.push(`canary ${number}: its rows could not be read: ${messageOf(error)}`);
      }),
    );
  }

  /** The observations, after all readings have ended. */
  async observed(): Promise<Observed> {
    await Promise.all(this.#reads);
    await this.#settings.read();
    const [begin, end] = await Promise.all([this.#committedAtBegin, this.#committedAtEnd]);
    const before = this.#committedBefore;
    return {
      canaries: this.#canaries.length === 0 ? null : this.#canariesSeen(),
      outstandingOnWire: null,
      committedAtWindowBegin:
        begin === null || before === null ? null : { ...begin, count: begin.count - before },
      committedAtWindowEnd: end === null || before === null ? null : end - before,
      settings: this.#settings.seen(),
      unflushed: await this.#flushes.seen(),
      lastWriters: await this.#rows.seen(),
    };
  }

  /** Counts by the machine's clock, read while the window lasted. */
  committed(): { readonly atMs: number; readonly count: number }[] {
    const before = this.#committedBefore;
    return before === null ? [] : this.#committed.map(({ atMs, count }) => ({ atMs, count: count - before }));
  }

  /** Reads the count now and then, at moments that no session can know. */
  #countLater(readMs = 0): void {
    const delayMs = Math.max(countEveryMs, readMs / countShareMax);
    // A reading that fails says nothing; those at the window's edges must succeed.
    this.#counting = setTimeout(() => void this.#count().catch(() => undefined), delayMs);
  }

  async #count(): Promise<void> {
    if (this.#ended) return;
    const atMs = machineMs();
    const read = await this.#timed();
    if (read === null) return;
    this.#committed.push({ atMs, count: read.count });
    this.#countLater(read.readMs);
  }

  async #timed(): Promise<Counted | null> {
    const startMs = performance.now();
    const count = await this.#observer.committed?.();
    return count === undefined ? null : { count, readMs: performance.now() - startMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#settings.stop();
    clearTimeout(this.#counting);
    this.#flushes.stop();
    this.#rows.stop();
    await this.#observer.close();
  }

  #canariesSeen(): NonNullable<Observed['canaries']> {
    return {
      planned: this.#canaries.length,
      read: this.#read,
      visible: this.#visible,
      applied: this.#applied,
      declined: this.#declined,
      readAfterMsMax: this.#readAfterMsMax,
      problems: this.#problems.slice(0, problemsMax),
    };
  }

  async #look({ operation, expected }: Canary, atMs: number): Promise<void> {
    const afterMs = machineMs() - atMs;
    const tables = new Map(expected.map(({ table }) => [table, keysOf(this.#workload, expected, table)]));
    const found = await Promise.all(
      [...tables].map(async ([table, keys]) => ({ table, rows: await this.#observer.read(table, keys) })),
    );
    this.#read += 1;
    // A load client on another machine has another clock.
    const known = afterMs >= 0 && afterMs < 10_000;
    if (known) this.#readAfterMsMax = Math.max(this.#readAfterMsMax ?? 0, afterMs);
    const unlike = expected.find(
      ({ table, row }) =>
        !(found.find((one) => one.table === table)?.rows ?? []).some((one) => fits(one, row)),
    );
    if (unlike === undefined) {
      this.#visible += 1;
      return;
    }
    const { operations, tables: all } = this.#workload;
    const delay = known ? ` begun ${afterMs.toFixed(1)} ms later` : '';
    this.#problems.push(
      `${operations[operation]?.name ?? operation} was acknowledged as applied, and a reading${delay} did not find ` +
        `${all[unlike.table]?.name ?? unlike.table} (${unlike.row.join(', ')})`,
    );
  }
}

/** The machine's monotonic clock, which its processes share. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function keysOf({ tables }: Workload, rows: Canary['expected'], table: number): Row[] {
  const width = tables[table]?.keyColumns ?? 1;
  return rows
    .filter((one) => one.table === table)
    .map(({ row }) => row.slice(0, width).map((value) => value ?? 0));
}

/** An unknown column is null. */
function fits(found: Row, expected: Canary['expected'][number]['row']): boolean {
  return expected.every((value, place) => {
    const other = found[place];
    if (value instanceof Uint8Array) return other instanceof Uint8Array && Buffer.from(value).equals(other);
    return value === null || value === other;
  });
}

/** Reads the settings repeatedly and records changes. */
class SettingsWatch {
  readonly #observe: Observer['settings'];
  #first: Readonly<Record<string, string>> | null = null;
  #last: Readonly<Record<string, string>> = {};
  #readings = 0;
  readonly #changes: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(observe: Observer['settings']) {
    this.#observe = observe;
  }

  start(): void {
    if (this.#observe === null) return;
    // A failed reading says nothing about the settings, but the last one, after the load, must succeed.
    this.#timer = setInterval(() => void this.read().catch(() => undefined), settingsEveryMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async read(): Promise<void> {
    const now = await this.#observe?.();
    if (now === undefined) return;
    this.#readings += 1;
    if (this.#first !== null) {
      for (const name of new Set([...Object.keys(this.#last), ...Object.keys(now)])) {
        const [before, after] = [this.#last[name], now[name]];
        if (before !== after) this.#changes.push(`${name}: ${before ?? 'nothing'} → ${after ?? 'nothing'}`);
      }
    }
    this.#first ??= now;
    this.#last = now;
  }

  seen(): Observed['settings'] {
    if (this.#first === null) return null;
    return { readings: this.#readings, first: { ...this.#first }, changes: [...this.#changes] };
  }
}

/** Looks repeatedly for commits that were visible before they were flushed, one look at a time. */
class FlushWatch {
  readonly #look: Observer['unflushed'];
  #looks = 0;
  readonly #found: string[] = [];
  #looking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(look: Observer['unflushed']) {
    this.#look = look;
  }

  start(): void {
    const look = this.#look;
    if (look === null) return;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#once(look).finally(() => {
        this.#looking = null;
      });
    }, lookEveryMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async seen(): Promise<Observed['unflushed']> {
    this.stop();
    await this.#looking;
    return this.#looks === 0 ? null : { looks: this.#looks, found: this.#found.slice(0, problemsMax) };
  }

  async #once(look: NonNullable<Observer['unflushed']>): Promise<void> {
    // A failed look says nothing; a server that is gone is found by others.
    const found = await look().catch(() => undefined);
    if (found === undefined) return;
    this.#looks += 1;
    if (found !== null) this.#found.push(found);
  }
}
