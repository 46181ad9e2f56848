import { badOption, defaultTargetSettings, type TargetSettings } from '@fair-bench/contract';
import { type TargetDefinition, withValues } from '../targets/definition.ts';
import type { RunOptions } from '../options/run-options.ts';

interface VariantChoice {
  readonly durability: NonNullable<RunOptions['durability']>;
  readonly profile: NonNullable<RunOptions['profile']>;
}

interface Variants {
  /** Durable ones first, in the order of the definitions. */
  readonly targets: readonly TargetDefinition[];
  /** Choices that a definition does not support, in sentences. */
  readonly notes: readonly string[];
}

const { profile: defaultProfile } = defaultTargetSettings;

/**
 * The definitions in every chosen durability and profile that their connectors support. What a definition's own name
 * sets (`@tuned`, `@async`) stays. An InputError if the choice leaves a definition out completely.
 */
export function variantsOf(definitions: readonly TargetDefinition[], choice: VariantChoice): Variants {
  const all = definitions.map((definition) => ({
    definition,
    durabilities: durabilitiesOf(definition, choice),
    profiles: profilesOf(definition, choice),
  }));
  const lacking = all.find(({ durabilities }) => durabilities.length === 0);
  if (lacking !== undefined) {
    const { target, connector } = lacking.definition;
    const known = connector.manifest.factors.durability.includes('async') ? 'async' : 'durable';
    throw badOption('durability', choice.durability, `${known} for ${target}`);
  }
  const targets = (['durable', 'async'] as const).flatMap((durability) =>
    all.flatMap(({ definition, durabilities, profiles }) =>
      durabilities.includes(durability)
        ? profiles.map((profile) => withValues(definition, { durability, profile }))
        : [],
    ),
  );
  const notes = all.flatMap(({ definition: { target, connector }, durabilities, profiles }) => [
    ...(choice.durability === 'both' && durabilities.length === 1 && !connector.manifest.calibration
      ? [`${target} is only in one table: its commits are always ${durabilities[0]}.`]
      : []),
    ...(choice.profile !== defaultProfile && profiles.every((profile) => profile === defaultProfile)
      ? [`${target} is measured with default settings: it has no tuning profile.`]
      : []),
  ]);
  return { targets, notes: [...new Set(notes)] };
}

type Durability = TargetSettings['durability'];

function durabilitiesOf(
  { connector, settings }: TargetDefinition,
  choice: VariantChoice,
): readonly Durability[] {
  const wanted: readonly Durability[] =
    choice.durability === 'both' ? ['durable', 'async'] : [choice.durability];
  const own = settings.durability === 'async' ? ['async'] : connector.manifest.factors.durability;
  return wanted.filter((one) => own.includes(one));
}

function profilesOf({ connector, settings }: TargetDefinition, choice: VariantChoice): readonly string[] {
  if (settings.profile !== defaultProfile) return [settings.profile];
  const wanted = choice.profile === 'both' ? [defaultProfile, 'tuned'] : [choice.profile];
  const known = wanted.filter((profile) => connector.manifest.factors.profile.includes(profile));
  return known.length === 0 ? [defaultProfile] : known;
}
