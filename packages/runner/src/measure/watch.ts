import { type Deployment, messageOf, type Observer, type PoolingLook, type Row } from '@fair-bench/contract';
import type { ClientEvent, Observed, Phase } from '@fair-bench/results';
import {
  type Canary,
  type ChangedRows,
  isLikeModel,
  type WatchedOperation,
  type Workload,
} from '@fair-bench/workload';
import { machineMs } from '../probes/machine-clock.ts';
import { NaturalCanaries } from './natural-canaries.ts';
import { Repeated } from '../probes/repeated.ts';
import { RowsChanges } from './rows-changes.ts';
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
/** Between looks at who is connected. */
const connectionsEveryMs = 200;

type Counted = NonNullable<Observed['committedAtWindowBegin']>;
type CountedAt = Counted & { readonly atMs: number };
type Settings = Record<string, string>;
type Read = NonNullable<Observer['read']>;
/** What another connection looks for while the load runs. */
interface BesideLoad {
  readonly canaries: readonly Canary[];
  readonly watched: readonly WatchedOperation[];
  /** Rows that it changes; null for none. */
  readonly changed: ChangedRows | null;
  /** Tables whose rows may not be those that were seeded. */
  readonly touched: Set<number>;
}
type CanaryEvent = Extract<ClientEvent, { type: 'canary' }>;

/**
 * Observes from outside while the load runs. It reads in this process, over a connection that is already open: the
 * load client may be the liar, and opening a connection would take longer than the lie.
 */
export class Watch {
  readonly #observer: Observer;
  readonly #workload: Workload;
  readonly #canaries: readonly Canary[];
  readonly natural: NaturalCanaries;
  readonly changes: RowsChanges;
  readonly #committedBefore: number | null;
  readonly #reads: Promise<void>[] = [];
  readonly #problems: string[] = [];
  readonly #settings: Settings[] = [];
  readonly #looks: (string | null)[] = [];
  readonly #pooling: PoolingLook[] = [];
  readonly #rows: RowsWatch;
  readonly #readSettings = new Repeated(
    async () => await this.#settingsOnce(),
    () => settingsEveryMs,
  );
  readonly #lookForUnflushed = new Repeated(
    async () => await this.#lookOnce(),
    () => lookEveryMs,
  );
  readonly #lookAtPooling = new Repeated(
    async () => await this.#poolingOnce(),
    () => connectionsEveryMs,
  );
  readonly #count = new Repeated(
    async () => await this.#countOnce(),
    (readMs) => Math.max(countEveryMs, readMs / countShareMax),
  );
  #committedAtBegin: Promise<Counted | null> = Promise.resolve(null);
  #committedAtEnd: Promise<Counted | null> = Promise.resolve(null);
  #committedAtOrderedEnd: Promise<Counted | null> | null = null;
  #orderedMs: number | null = null;
  #orderedEnd: NodeJS.Timeout | undefined;
  readonly #committed: CountedAt[] = [];
  #applied = 0;
  #read = 0;
  #visible = 0;
  #declined = 0;
  #readAfterMsMax: number | null = null;

  private constructor(
    observer: Observer,
    workload: Workload,
    { canaries, watched, changed, touched }: BesideLoad,
    committedBefore: number | null,
  ) {
    this.#observer = observer;
    this.#workload = workload;
    this.#canaries = canaries;
    this.natural = new NaturalCanaries(observer.read, workload, watched);
    this.changes = new RowsChanges(observer, workload, touched, changed);
    this.#committedBefore = committedBefore;
    this.#rows = new RowsWatch(observer.lastWriters, workload);
  }

  static async open(
    deployment: Pick<Deployment, 'observe'>,
    workload: Workload,
    beside: BesideLoad,
    signal: AbortSignal,
  ): Promise<Watch> {
    const observer = await deployment.observe(signal);
    try {
      const watch = new Watch(observer, workload, beside, (await observer.committed?.()) ?? null);
      await watch.#settingsOnce();
      return watch;
    } catch (error) {
      await observer.close();
      throw error;
    }
  }

  /** Call it when the window is ordered of a load client of this machine. */
  windowOrdered(windowMs: number): void {
    this.#orderedMs = windowMs;
  }

  /** Call it when the load client reports a phase: what the system does from when it was heard on is missing from a count. */
  phase(phase: Phase, heardMs = machineMs()): void {
    if (phase === 'warmup') {
      if (this.#observer.settings !== null) this.#readSettings.start();
      if (this.#observer.unflushed !== null) this.#lookForUnflushed.start();
      this.#rows.start();
      this.changes.start();
    }
    if (phase === 'window') {
      if (this.#observer.pooling !== null) this.#lookAtPooling.start();
      this.#committedAtBegin = this.#timed(heardMs);
      if (this.#observer.committed !== null) this.#count.start();
      if (this.#orderedMs !== null)
        this.#orderedEnd = setTimeout(() => this.#atOrderedEnd(), this.#orderedMs + timerMs);
    }
    if (phase === 'drain') {
      void this.#count.stop();
      void this.#lookAtPooling.stop();
      this.#committedAtEnd = this.#timed();
      clearTimeout(this.#orderedEnd);
      if (this.#orderedMs !== null) this.#committedAtOrderedEnd ??= this.#committedAtEnd;
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
    const { read } = this.#observer;
    if (read === null) return;
    this.#reads.push(
      this.#look(read, canary, atMs).catch((error: unknown) => {
        this.#problems.push(`canary ${number}: its rows could not be read: ${messageOf(error)}`);
      }),
    );
  }

  /** The observations, after all readings have ended. */
  async observed(): Promise<Observed> {
    const repeated = [this.#readSettings, this.#lookForUnflushed, this.#lookAtPooling];
    await Promise.all([
      ...this.#reads,
      this.natural.settled(),
      ...repeated.map(async (one) => await one.stop()),
    ]);
    await this.changes.restore();
    // The last reading, after the load, must succeed.
    await this.#settingsOnce();
    const [begin, end, orderedEnd] = await Promise.all([
      this.#committedAtBegin,
      this.#committedAtEnd,
      this.#committedAtOrderedEnd,
    ]);
    return {
      canaries: this.#canaries.length === 0 || this.#observer.read === null ? null : this.#canariesSeen(),
      outstandingOnWire: null,
      committedAtWindowBegin: this.#ofTrial(begin),
      committedAtWindowEnd: this.#ofTrial(end),
      committedAtOrderedEnd: this.#ofTrial(orderedEnd),
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
      protocols: (await this.#observer.protocols?.()) ?? null,
      pooling: poolingSeen(this.#pooling),
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

  #atOrderedEnd(): void {
    this.#committedAtOrderedEnd = this.#timed();
    this.#committedAtOrderedEnd.catch(() => {});
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

  async #poolingOnce(): Promise<void> {
    const look = await this.#observer.pooling?.();
    if (look !== undefined) this.#pooling.push(look);
  }

  async #countOnce(): Promise<void> {
    const atMs = machineMs();
    const read = await this.#timed();
    if (read !== null) this.#committed.push({ ...read, atMs });
  }

  async #timed(fromMs = machineMs()): Promise<Counted | null> {
    const count = await this.#observer.committed?.();
    return count === undefined ? null : { count, readMs: machineMs() - fromMs };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#orderedEnd);
    // Nothing waits here: the server may have stopped answering.
    const repeated = [this.#readSettings, this.#lookForUnflushed, this.#lookAtPooling, this.#count];
    for (const each of [...repeated, this.#rows]) void each.stop();
    await this.changes.abandon();
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

  async #look(read: Read, { operation, expected }: Canary, atMs: number): Promise<void> {
    const tables = new Map(expected.map(({ table }) => [table, keysOf(this.#workload, expected, table)]));
    const found = await Promise.all(
      [...tables].map(async ([table, keys]) => ({ table, rows: await read(table, keys) })),
    );
    this.#read += 1;
    const afterMs = machineMs() - atMs;
    // A load client on another machine has another clock.
    const known = afterMs >= 0 && afterMs < 10_000;
    if (known) this.#readAfterMsMax = Math.max(this.#readAfterMsMax ?? 0, afterMs);
    const unlike = expected.find(
      ({ table, row }) =>
        !(found.find((one) => one.table === table)?.rows ?? []).some((one) => isLikeModel(one, row)),
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

function keysOf({ tables }: Workload, rows: Canary['expected'], table: number): Row[] {
  const width = tables[table]?.keyColumns ?? 1;
  return rows
    .filter((one) => one.table === table)
    .map(({ row }) => row.slice(0, width).map((value) => value ?? 0));
}

function poolingSeen(looks: readonly PoolingLook[]): Observed['pooling'] {
  if (looks.length === 0) return null;
  const beside = new Set(looks.flatMap((look) => look.beside));
  return {
    looks: looks.length,
    pooledMost: Math.max(...looks.map(({ pooled }) => pooled)),
    beside: [...beside].slice(0, problemsMax),
  };
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
