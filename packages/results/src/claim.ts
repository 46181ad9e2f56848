import { nameSchema } from '@fair-bench/contract';
import { z } from 'zod';

const figureIdSchema = z.string().regex(/^[a-z0-9.-]+$/, 'lower-case letters, digits, "." and "-"');

/** Replaces a setting of the source that is unavailable here. */
const insteadSchema = z.strictObject({
  setting: z.string().min(1),
  /** The source's setting, in words. */
  claimed: z.string().min(1),
  /** The value in the target. */
  used: z.string().min(1),
  why: z.string().min(1),
});

/** Settings in the grammar of a target's brackets: `durability=async`, `durability=async,isolation=serializable`. */
const readingSchema = z
  .string()
  .regex(/^[a-z-]+=[^=,[\]]+(,[a-z-]+=[^=,[\]]+)*$/, 'settings as in brackets, as durability=async');

/** What the source leaves open: the figure is measured, and its statements are judged, in each reading. */
const eitherSchema = z.strictObject({
  /** The likeliest first: `explain` takes it. */
  readings: z.array(readingSchema).min(2),
  /** What the source says of it. */
  why: z.string().min(1),
});

/** A published number, and the target that stands for it here. */
const figureSchema = z.strictObject({
  id: figureIdSchema,
  label: z.string().min(1),
  /** Transactions per second, as published. */
  tps: z.number().positive(),
  /** Its place in the source: a table and its row, or a post of a thread. */
  where: z.string().min(1),
  /** Other published values; null where the source has none, or none is on record. */
  latencyMsMean: z.number().positive().nullable().optional(),
  latencyMsP95: z.number().positive().nullable().optional(),
  /** Of all requests. */
  errorsPercent: z.number().min(0).max(100).nullable().optional(),
  /** Of the server: its memory, and its CPU as the source counts it. */
  memoryMb: z.number().positive().nullable().optional(),
  cpuPercent: z.number().min(0).nullable().optional(),
  /**
   * As `explain` accepts it: `TARGET[key=value,…]`, with every setting that the source gives; null where no target
   * here corresponds to it.
   */
  target: z.string().nullable(),
  instead: z.array(insteadSchema).optional(),
  either: eitherSchema.optional(),
  /** Settings of the source that are unavailable here, and settings that the source does not give. */
  notes: z.array(z.string().min(1)).default([]),
});

/** Whether a statement's words name a lower bound, an upper bound or a value; each kind is judged by its own test. */
export const statementKindSchema = z.enum(['at least', 'at most', 'about']);
export type StatementKind = z.infer<typeof statementKindSchema>;

/** A ratio that the claim states, or that its figures imply. */
const statementSchema = z.strictObject({
  statement: z.string().min(1),
  kind: statementKindSchema,
  /** The reason for the kind: the source's own wording, or that only its figures state the ratio. */
  wording: z.string().min(1),
  claimedRatio: z.number().positive(),
  /** Figures: `to` is said to be `claimedRatio` times as fast as `from`. */
  from: figureIdSchema,
  to: figureIdSchema,
});

/** A published statement about performance, as data: one file in `claims/`, named after it. */
export const claimSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: nameSchema,
    /** Year and month of publication. */
    date: z.string().regex(/^(\d{4}-\d{2}|not on record)$/, 'year and month, as 2026-02, or "not on record"'),
    /** Where it was published: a repository and a folder or a pull request. */
    source: z.string().min(1),
    /** The machine of its figures as far as the source says, as a phrase after "on": "a host of 32 threads". */
    host: z.string().min(1),
    workload: nameSchema,
    /** Parameters of the workload in the source; a figure's target names the axes. */
    parameters: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
    /** The source's timed window; null where it does not say. */
    windowSeconds: z.number().positive().nullable(),
    /** The first is the headline. */
    statements: z.array(statementSchema).min(1),
    figures: z.array(figureSchema).min(2),
    /** Facts of the source that the figures do not contain. */
    notes: z.array(z.string().min(1)).optional(),
    /** Rules of FAIR-BENCHMARK.md that the claim's own settings break. */
    breaks: z.array(z.strictObject({ rule: z.string().regex(/^F\d+$/), why: z.string().min(1) })),
  })
  .superRefine(({ figures, statements }, context) => {
    const ids = figures.map(({ id }) => id);
    if (new Set(ids).size < ids.length) {
      context.addIssue({ code: 'custom', path: ['figures'], message: 'two figures have the same id' });
    }
    for (const [index, { from, to }] of statements.entries()) {
      const path = ['statements', index];
      const unknown = [from, to].find((id) => !ids.includes(id));
      if (unknown !== undefined) {
        context.addIssue({ code: 'custom', path, message: `no figure has the id "${unknown}"` });
      }
      const [first, second] = [from, to].map((id) => figures.find((one) => one.id === id)?.either?.readings);
      if (first === undefined || second === undefined || first.join(' ') === second.join(' ')) continue;
      const message = `${from} and ${to} leave different settings open: give both the same readings`;
      context.addIssue({ code: 'custom', path, message });
    }
    for (const [index, figure] of figures.entries()) {
      const message = mistakeIn(figure);
      if (message !== null) context.addIssue({ code: 'custom', path: ['figures', index], message });
    }
  });

/** A target that contradicts what the figure says of it. */
function mistakeIn({
  target,
  instead = [],
  either: { readings } = { readings: [], why: '' },
}: z.infer<typeof figureSchema>): string | null {
  const absent = instead.find(
    ({ setting, used }) => !new RegExp(`[[,]${setting}=${used}[,\\]]`).test(target ?? ''),
  );
  if (absent !== undefined) {
    return `instead: the target does not have ${absent.setting}=${absent.used}, which it names as used instead`;
  }
  if (readings.length > 0 && target === null) return 'either: a figure without a target has no readings';
  const keys = readings.flatMap((reading) => reading.split(',').map((pair) => pair.split('=')[0] ?? ''));
  const named = keys.find((key) => new RegExp(`[[,]${key}=`).test(target ?? ''));
  return named === undefined
    ? null
    : `either: the target already has ${named}, which its readings leave open`;
}

export type Claim = z.infer<typeof claimSchema>;
export type ClaimFigure = Claim['figures'][number];
export type ClaimStatement = Claim['statements'][number];

/** The readings of a statement: those of its figures, which are the same; null where nothing is open. */
export function readingsOf(
  { figures }: Pick<Claim, 'figures'>,
  { from, to }: Pick<ClaimStatement, 'from' | 'to'>,
): readonly (string | null)[] {
  const open = figures.find(({ id, either }) => (id === from || id === to) && either !== undefined);
  return open?.either?.readings ?? [null];
}
