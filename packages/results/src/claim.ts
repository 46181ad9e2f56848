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
  /** Settings of the source that are unavailable here, and settings that the source does not give. */
  notes: z.array(z.string().min(1)).default([]),
});

/** A ratio that the claim states, or that its figures imply. */
const statementSchema = z.strictObject({
  statement: z.string().min(1),
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
      const unknown = [from, to].find((id) => !ids.includes(id));
      if (unknown === undefined) continue;
      const message = `no figure has the id "${unknown}"`;
      context.addIssue({ code: 'custom', path: ['statements', index], message });
    }
    for (const [index, { target, instead = [] }] of figures.entries()) {
      for (const { setting, used } of instead) {
        if (new RegExp(`[[,]${setting}=${used}[,\\]]`).test(target ?? '')) continue;
        const message = `the target does not have ${setting}=${used}, which it names as used instead`;
        context.addIssue({ code: 'custom', path: ['figures', index, 'instead'], message });
      }
    }
  });
export type Claim = z.infer<typeof claimSchema>;
export type ClaimFigure = Claim['figures'][number];
export type ClaimStatement = Claim['statements'][number];
