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

/** What a machine must have at least; on a smaller one the figure says nothing of the claim. */
const needsSchema = z.strictObject({
  /** Processors: threads of the system that work at the same time, with the load beside them. */
  cores: z.int().min(1).default(1),
  /** MiB of memory: what the system keeps in it, with the load beside it. */
  memoryMb: z.int().min(1).default(1),
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
  needs: needsSchema.optional(),
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

/** Where a setting comes from that the claim is measured with. */
const givenSettingSchema = z.strictObject({
  /** Its key in a figure's target, a parameter's name, or `window`. */
  setting: z.string().min(1),
  /** The values that it is about, and the targets, by name; all of them where absent. */
  values: z.array(z.string().min(1)).min(1).optional(),
  targets: z.array(z.string().min(1)).min(1).optional(),
  /** The source says so; it follows from what the source says or has in its code; or it was chosen here. */
  is: z.enum(['stated', 'implied', 'assumed']),
  /** The place in the source; what it follows from; or why it was chosen. */
  where: z.string().min(1),
});

/** A figure of the source that is not among the claim's. */
const leftOutSchema = z.strictObject({
  figure: z.string().min(1),
  where: z.string().min(1),
  why: z.string().min(1),
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
    /** Every setting that a target, a parameter or the window has; not those of `instead` and `either`, which say it themselves. */
    settings: z.array(givenSettingSchema),
    leftOut: z.array(leftOutSchema).optional(),
    /** Facts of the source that the figures do not contain. */
    notes: z.array(z.string().min(1)).optional(),
    /** Rules of FAIR-BENCHMARK.md that the claim's own settings break. */
    breaks: z.array(z.strictObject({ rule: z.string().regex(/^F\d+$/), why: z.string().min(1) })),
  })
  .superRefine(({ figures, statements, ...given }, context) => {
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
    for (const { path, message } of unmarkedIn({ figures, ...given })) {
      context.addIssue({ code: 'custom', path, message });
    }
  });

interface Marked {
  readonly settings: readonly z.infer<typeof givenSettingSchema>[];
  readonly figures: readonly z.infer<typeof figureSchema>[];
  readonly parameters: Readonly<Record<string, number | string | boolean>>;
  readonly windowSeconds: number | null;
}

interface Used {
  readonly setting: string;
  readonly value: string;
  readonly target: string | null;
}

/** Settings that no entry marks, and entries that mark none. */
function unmarkedIn({ settings, ...claim }: Marked): { path: (string | number)[]; message: string }[] {
  const used = usedIn(claim);
  const marks = (entry: (typeof settings)[number], one: Used): boolean =>
    entry.setting === one.setting &&
    (entry.values === undefined || entry.values.includes(one.value)) &&
    (entry.targets === undefined || (one.target !== null && entry.targets.includes(one.target)));
  const unmarked = used.filter((one) => !settings.some((entry) => marks(entry, one)));
  const texts = unmarked.map(
    ({ setting, value, target }) => `${setting}=${value}${target === null ? '' : ` of ${target}`}`,
  );
  return [
    ...[...new Set(texts)].map((text) => ({
      path: ['settings'],
      message: `nothing says whether ${text} is stated, implied or assumed`,
    })),
    ...settings.flatMap((entry, index) =>
      used.some((one) => marks(entry, one))
        ? []
        : [{ path: ['settings', index], message: `no figure has the setting ${entry.setting} so` }],
    ),
  ];
}

function usedIn({ figures, parameters, windowSeconds }: Omit<Marked, 'settings'>): Used[] {
  const ofFigures = figures.flatMap(({ target, instead = [] }) =>
    (/\[(.*)\]$/.exec(target ?? '')?.[1] ?? '')
      .split(',')
      .map((pair) => pair.split('='))
      .filter(([key]) => key !== '' && !instead.some(({ setting }) => setting === key))
      .map(([setting = '', value = '']) => ({ setting, value, target: (target ?? '').split('[')[0] ?? '' })),
  );
  return [
    ...ofFigures,
    ...Object.entries(parameters).map(([setting, value]) => ({
      setting,
      value: String(value),
      target: null,
    })),
    ...(windowSeconds === null ? [] : [{ setting: 'window', value: String(windowSeconds), target: null }]),
  ];
}

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

/** "cacheMb 256"; without values the setting alone. */
export function settingText(setting: string, values: readonly string[] | undefined): string {
  return values === undefined ? setting : `${setting} ${values.join(', ')}`;
}

/** What a statement needs and a machine lacks, in words; null where it has it. Memory that is not on record is taken to be enough. */
export function lackingFor(
  { figures }: Pick<Claim, 'figures'>,
  { from, to }: Pick<ClaimStatement, 'from' | 'to'>,
  {
    cpu: { cores },
    memoryBytes = Infinity,
  }: { readonly cpu: { readonly cores: number }; readonly memoryBytes?: number | undefined },
): string | null {
  for (const { id, label, needs } of figures) {
    if ((id !== from && id !== to) || needs === undefined) continue;
    if (needs.cores > cores)
      return `${label} needs ${needs.cores} processors, and this machine has ${cores}: ${needs.why}`;
    const memoryMb = Math.floor(memoryBytes / 2 ** 20);
    if (needs.memoryMb > memoryMb)
      return `${label} needs ${needs.memoryMb} MiB of memory, and this machine has ${memoryMb}: ${needs.why}`;
  }
  return null;
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
