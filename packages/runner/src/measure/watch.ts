import { type Deployment, messageOf, type Observer, type Row } from '@fair-bench/contract';
import type { ClientEvent, Observed, Phase } from '@fair-bench/results';
import type { Canary, Workload } from '@fair-bench/workload';
import { Repeated } from './repeated.ts';
import { RowsWatch } from './rows-watch.ts';

/** The interval between readings of the settings while the load runs. */
const settingsEveryMs = 250;
const problemsMax = 3;
/** Between readings of what is committed: no multiple of a slot of replies, so that some come right after a slot's end. */
const countEveryMs = 47;
/** The largest share of the time in which the system reads its count. */
const countShareMax = 0.02;
/** A timer may be early by less than this. */
const timerMs = 1;
/** One look may miss an unflushed commit; looks of a whole trial do not. */
const lookEveryMs = 100;

type Counted = NonNullable<Observed['committedAtWindowBegin']>;
type CountedAt = Counted & { readonly atMs: number };
type Settings = Record<string, string>;
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
  readonly #settings: Settings[] = [];
  readonly #looks: (string | null)[] = [];
  readonly #rows: RowsWatch;
  readonly #readSettings = new Repeated(
    async () => await this.#settingsOnce(),
    () => settingsEveryMs,
  );
  readonly #lookForUnflushed = new Repeated(
    async () => await this.#lookOnce(),
    () => lookEveryMs,
  );
  readonly #count = new Repeated(
    async () => await this.#countOnce(),
    (readMs) => Math.max(countEveryMs, readMs / countShareMax),
  );
  #committedAtBegin: Promise<Counted | null> = Promise.resolve(null);
  #committedAtEnd: Promise<Counted | null> = Promise.resolve(null);
  #committedAtSaidEnd: Promise<Counted | null> | null = null;
  #saidMs: number | null = null;
  #saidEnd: NodeJS.Timeout | undefined;
  readonly #committed: CountedAt[] = [];
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
      await watch.#settingsOnce();
      return watch;
    } catch (error) {
      await observer.close();
      throw error;
    }
  }

  /** Call it when a load client of this machine says how long its window will last, before the window. */
  windowSaid(windowMs: number): void {
    this.#saidMs = windowMs;
  }

  /** Call it when the load client reports a phase. */
  phase(phase: Phase): void {
    if (phase === 'warmup') {
      if (this.#observer.settings !== null) this.#readSettings.start();
      if (this.#observer.unflushed !== null) this.#lookForUnflushed.start();
      this.#rows.start();
    }
    if (phase === 'window') {
      this.#committedAtBegin = this.#timed();
      if (this.#observer.committed !== null) this.#count.start();
      if (this.#saidMs !== null) this.#saidEnd = setTimeout(() => this.#atSaidEnd(), this.#saidMs + timerMs);
    }
    if (phase === 'drain') {
      void this.#count.stop();
      this.#committedAtEnd = this.#timed();
      clearTimeout(this.#saidEnd);
      if (this.#saidMs !== null) this.#committedAtSaidEnd ??= this.#committedAtEnd;
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
    await Promise.all([...this.#reads, this.#readSettings.stop(), this.#lookForUnflushed.stop()]);
    // The last reading, after the load, must succeed.
    await this.#settingsOnce();
    const [begin, end, saidEnd] = await Promise.all([
      this.#committedAtBegin,
      this.#committedAtEnd,
      this.#committedAtSaidEnd,
    ]);
    return {
      canaries: this.#canaries.length === 0 ? null : this.#canariesSeen(),
      outstandingOnWire: null,
      committedAtWindowBegin: this.#ofTrial(begin),
      committedAtWindowEnd: this.#ofTrial(end),
      committedAtSaidEnd: this.#ofTrial(saidEnd),
      committedAfterTrial: null,
      committedHasReads: this.#observer.committedHasReads,
      settings: settingsSeen(this.#settings),
      unflushed:
        this.#looks.length === 0
          ? null
          : {
              looks: this.#looks.length,
              found: this.#looks.filter((found) => found !== null).slice(0, problemsMax),
            },
      lastWriters: await this.#rows.seen(),
    };
  }

  /** Counts by the machine's clock, read while the window lasted. */
  committed(): CountedAt[] {
    return this.#committed.flatMap((one) => this.#ofTrial(one) ?? []);
  }

  /** What the trial committed up to now. Call it when none of its work is left. */
  async committedNow(): Promise<number | null> {
    return this.#ofTrial(await this.#timed())?.count ?? null;
  }

  #atSaidEnd(): void {
    this.#committedAtSaidEnd = this.#timed();
    this.#committedAtSaidEnd.catch(() => {});
  }

  #ofTrial<One extends Counted>(one: One | null): One | null {
    const before = this.#committedBefore;
    return one === null || before === null ? null : { ...one, count: one.count - before };
  }

  async #settingsOnce(): Promise<void> {
    const now = await this.#observer.settings?.();
    if (now !== undefined) this.#settings.push({ ...now });
  }

  async #lookOnce(): Promise<void> {
    const found = await this.#observer.unflushed?.();
    if (found !== undefined) this.#looks.push(found);
  }

  async #countOnce(): Promise<void> {
    const atMs = machineMs();
    const read = await this.#timed();
    if (read !== null) this.#committed.push({ ...read, atMs });
  }

  async #timed(): Promise<Counted | null> {
    const startMs = performance.now();
    const count = await this.#observer.committed?.();
    return count === undefined ? null : { count, readMs: performance.now() - startMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#saidEnd);
    // Nothing waits here: the server may have stopped answering.
    for (const each of [this.#readSettings, this.#lookForUnflushed, this.#count, this.#rows])
      void each.stop();
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

function settingsSeen(readings: readonly Settings[]): Observed['settings'] {
  const [first] = readings;
  if (first === undefined) return null;
  const changes = readings.flatMap((now, place) => {
    const before = readings[place - 1] ?? first;
    return [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .filter((name) => before[name] !== now[name])
      .map((name) => `${name}: ${before[name] ?? 'nothing'} → ${now[name] ?? 'nothing'}`);
  });
  return { readings: readings.length, first, changes };
}
