import type { BatchedOperation, OperationOutcome, Row } from '@fair-bench/contract';
import { createSeededModel, drawnCases, drawnCount, type Effect, type Workload } from '@fair-bench/workload';

/** Ids and times that the server gives, and that operations name later: the same operations get others in another run. */
export class GivenByServer {
  readonly #workload: Workload;
  readonly #fields: ReadonlySet<string>;
  /** By table, the places of its columns. */
  readonly #columns: Map<number, ReadonlySet<number>>;
  /** Operations with the places of fields in their replies. */
  readonly #unknown = new Set<string>();

  constructor(workload: Workload) {
    this.#workload = workload;
    this.#fields = new Set(
      workload.operations.flatMap(({ arguments: all }) =>
        all.flatMap((each) =>
          each.kind === 'scalar' && each.generator.kind === 'replied' ? [each.generator.field] : [],
        ),
      ),
    );
    const effects = workload.operations.flatMap(({ description }) => description.effects);
    this.#columns = new Map(
      workload.tables.map(({ name, number, columns }) => {
        const given = effects.flatMap((effect) => this.#givenBy(effect, name));
        const places = columns.flatMap((column, place) => (given.includes(column.name) ? [place] : []));
        return [number, new Set(places)];
      }),
    );
    if (workload.description.code !== undefined) this.#learn(workload);
  }

  /** Of a workload in code, what its model does not know after some operations. */
  #learn(workload: Workload): void {
    const { model, store } = createSeededModel(workload);
    for (const { operation, expected } of drawnCases(model, store, drawnCount)) {
      const rows = expected.kind === 'applied' ? (expected.rows ?? []) : [];
      for (const row of rows) {
        for (const [place, value] of row.entries())
          if (value === null) this.#unknown.add(`${operation} ${place}`);
      }
    }
    for (const { number } of workload.tables) {
      const places = store
        .rows(number)
        .flatMap((row) => row.flatMap((value, at) => (value === null ? [at] : [])));
      this.#columns.set(number, new Set(places));
    }
  }

  /** The rows of a table without them. */
  leftOutOfRows(table: number, rows: readonly Row[]): unknown {
    const places = this.#columns.get(table) ?? new Set();
    return rows.map((row) => row.filter((_, place) => !places.has(place)));
  }

  /** What came of an operation without them. */
  leftOutOf({ operation }: BatchedOperation, outcome: OperationOutcome): unknown {
    const returns = this.#workload.operations[operation]?.returns;
    if (outcome.kind !== 'applied' || outcome.reply === null || returns === undefined) return outcome;
    const { reply } = outcome;
    if (reply.kind === 'rows' && 'table' in returns)
      return { ...outcome, reply: this.leftOutOfRows(returns.table, reply.rows) };
    const isKnown = (_: unknown, place: number): boolean => !this.#unknown.has(`${operation} ${place}`);
    if (reply.kind === 'rows') return { ...outcome, reply: reply.rows.map((row) => row.filter(isKnown)) };
    if (returns.kind !== 'fields') return outcome;
    const fields = reply.fields
      .filter((_, place) => !this.#fields.has(returns.fields[place]?.name ?? ''))
      .filter(isKnown);
    return { ...outcome, reply: fields };
  }

  #givenBy(effect: Effect, table: string): string[] {
    const alone = effect.kind === 'each' ? effect.effect : effect;
    if (alone.kind !== 'insert' || alone.table !== table) return [];
    return Object.entries(alone.columns).flatMap(([column, value]) =>
      typeof value === 'object' && 'returned' in value && this.#fields.has(value.returned) ? [column] : [],
    );
  }
}
