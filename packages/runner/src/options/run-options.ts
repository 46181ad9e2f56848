import { availableParallelism } from 'node:os';
import { clientNameSchema, modeSchema } from '@fair-bench/results';
import { z } from 'zod';
import { InputError } from '@fair-bench/contract';
import { durabilityChoices, profileChoices } from './choices.ts';
import {
  durationText,
  numbersText,
  oneOf,
  optionText,
  wholeNumberText,
  wholeNumbersText,
  wordsText,
} from './option-values.ts';

const seedMax = 2n ** 64n - 1n;

/** `SYSTEM=URL`. */
const urlText = optionText(
  'SYSTEM=URL with a complete URL, such as --url mydb=mydb://127.0.0.1:5432/name',
  (text) => {
    const match = /^([a-z][a-z0-9-]*)=(.+)$/.exec(text);
    const [, system, url] = match ?? [];
    return system !== undefined && url !== undefined && URL.canParse(url) ? { system, url } : null;
  },
);

/** `TARGET.KEY=VALUE`. */
const settingText = optionText('TARGET.KEY=VALUE', (text) => {
  const match = /^([a-z][a-z0-9@-]*)\.([A-Za-z][A-Za-z0-9]*)=(.*)$/.exec(text);
  const [, target, key, value] = match ?? [];
  return target !== undefined && key !== undefined && value !== undefined ? { target, key, value } : null;
});

/**
 * The options of a run, from text to values. What depends on the workspace (which systems there are) or on
 * the workload (which skew it can draw) is checked by the plan.
 */
export const runOptionsSchema = z.strictObject({
  mode: oneOf(modeSchema.exclude(['explain']).options),
  claim: z.string().optional(),
  client: optionText('node, native, or both by a comma', (text) => {
    const clients = z.array(clientNameSchema).safeParse(text.split(',')).data ?? [];
    return clients.length > 0 && new Set(clients).size === clients.length ? clients : null;
  }).optional(),
  durability: oneOf(durabilityChoices).optional(),
  profile: oneOf(profileChoices).optional(),
  systems: wordsText('names of targets or systems, separated by commas, each once').optional(),
  alpha: numbersText('numbers', Number.isFinite),
  sessions: wholeNumbersText(1, 100_000),
  depth: wholeNumbersText(1, 65_536),
  duration: durationText(100),
  warmup: durationText(0),
  trials: wholeNumberText(1, 1000),
  accounts: wholeNumberText(2, 2 ** 32),
  seed: optionText(`a whole number from 0 to ${seedMax}`, (text) =>
    /^\d{1,20}$/.test(text) && BigInt(text) <= seedMax ? BigInt(text).toString() : null,
  ),
  rate: numbersText('numbers of operations per second above 0', (rate) => rate > 0).optional(),
  out: optionText('a folder', (text) => (text === '' || text.includes('\0') ? null : text)).optional(),
  strict: z.boolean(),
  url: z.array(urlText),
  scramble: z.boolean(),
  threads: wholeNumberText(1, 256),
  processes: wholeNumberText(1, 1024),
  poolSize: wholeNumberText(1, 10_000),
  provider: optionText('docker; without it the providers are tried in their order', (text) =>
    text === 'docker' ? text : null,
  ).optional(),
  config: optionText('a file', (text) => (text === '' || text.includes('\0') ? null : text)).optional(),
  dataDir: optionText('a folder', (text) => (text === '' || text.includes('\0') ? null : text)).optional(),
  set: z.array(settingText),
});
export type RunOptions = z.infer<typeof runOptionsSchema>;

/** What an option is when it is not given: the defaults of fair mode, as text, as the help shows them. */
export const runDefaults = {
  mode: 'fair',
  alpha: '0.5,1.5',
  sessions: '50',
  depth: '1,8',
  duration: '1.5s',
  warmup: '1s',
  trials: '3',
  accounts: '100000',
  seed: '42',
  threads: '1',
  processes: String(availableParallelism()),
  poolSize: '50',
} as const;

/** Parses the texts of a command line; an InputError names the first option that is refused. */
export function parseRunOptions(texts: unknown): RunOptions {
  return parseTexts(runOptionsSchema, texts);
}

/** The same for the options of another command. */
export function parseTexts<T>(schema: z.ZodType<T>, texts: unknown): T {
  const parsed = schema.safeParse(texts);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new InputError(`${optionName(issue?.path[0])}: ${issue?.message ?? 'refused'}`);
}

/** A key of the options as it is typed: `--pool-size`. */
export function optionName(key: PropertyKey | undefined): string {
  return `--${String(key).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
