import { clientCodecSchema, defaultTargetSettings, type TargetOptions } from '@fair-bench/contract';
import { z } from 'zod';
import {
  type Machine,
  thisMachine,
  tunedServerSettings,
  tunedTableSettings,
  type TunedSetting,
} from './tuned-profile.ts';
import type { Settings } from './settings.ts';

/** The settings of a server and the dataset's tables: the profile's, with their values for this machine. */
export interface Profile {
  /** As in the target's settings, with what was left out. */
  readonly name: string;
  readonly server: Readonly<Record<string, string>>;
  readonly table: Readonly<Record<string, string>>;
}

const { profile: defaultName } = defaultTargetSettings;
const all = [...tunedServerSettings, ...tunedTableSettings];
const settingName = z.enum(
  all.map(({ name }) => name),
  { error: `settings of the profile tuned: ${all.map(({ name }) => name).join(', ')}` },
);

/** The settings of a `postgres-*` target beyond the contract's. */
export const extraSchema = z.strictObject({
  /** The libraries of the load client and, where it calls functions, of the application server. */
  clientCodec: clientCodecSchema.default('stock'),
  /** Whether the timed sessions are encrypted, on a server that is started here. */
  tls: z.enum(['off', 'on']).default('off'),
  /** Settings of the profile that keep the system's default, by commas: to price each. */
  without: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(settingName))
    .default([]),
  /** Settings of the profile at other values, `name=value` by commas: to price a value. */
  with: z
    .string()
    .transform((text) => text.split(',').map((one) => one.split('=')))
    .pipe(z.array(z.tuple([settingName, z.string()], { error: 'name=value, by commas' })))
    .default([]),
});

/** The profile that a target requests. Throws a ZodError for an unknown setting. */
export function profileOf(
  { profile, extra }: Pick<TargetOptions, 'profile' | 'extra'>,
  machine: Machine = thisMachine(),
): Profile {
  const { without: named, with: changed } = extraSchema.parse(extra);
  const valueFor = new Map(changed);
  // Settings that only another one needs are left out with it.
  const without = [...named, ...all.flatMap(({ name, needs = [] }) => (named.includes(name) ? needs : []))];
  if (profile === defaultName) return { name: defaultName, server: {}, table: {} };
  const left = (settings: readonly TunedSetting[]) =>
    Object.fromEntries(
      settings
        .filter(({ name, needs }) => !without.includes(name) && !without.includes(needs ?? ''))
        .map(({ name, value }) => [name, valueFor.get(name) ?? value(machine)] as const),
    );
  const name = [
    profile,
    ...(without.length === 0 ? [] : [`without ${without.join(', ')}`]),
    ...(changed.length === 0 ? [] : [`with ${changed.map((one) => one.join(' = ')).join(', ')}`]),
  ].join(' ');
  return { name, server: left(tunedServerSettings), table: left(tunedTableSettings) };
}

/** Server settings that differ from the profile's: `shared_buffers is 128MB, not 6GB`. */
export function profileDifferences({ server }: Profile, live: Settings): readonly string[] {
  return Object.entries(server)
    .filter(([name, value]) => live[name] !== value)
    .map(([name, value]) => `${name} is ${live[name] ?? 'not there'}, not ${value}`);
}
