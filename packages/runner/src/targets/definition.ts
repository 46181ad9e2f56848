import type { TargetSettings } from '@fair-bench/contract';
import type { FoundConnector } from '../discover/workspace.ts';
import { nameOfTarget } from '../settings/presets.ts';
import { settingsOf, type SettingValues } from '../settings/table.ts';

/** A target under its name: a connector, with its endpoint and its settings. */
export interface TargetDefinition {
  /** As in plans, results and `--systems`: the base, with the values that differ from it after `@`. */
  readonly target: string;
  /** The connector's name, or that of a target in the user's configuration. */
  readonly base: string;
  /** What the user's configuration sets the base to. */
  readonly own: SettingValues;
  /** What differs from the base. */
  readonly values: SettingValues;
  readonly connector: FoundConnector;
  /** The product: the connector's system, where the user's configuration does not name another. */
  readonly system: string;
  /** Whether it stands in the user's configuration. */
  readonly configured: boolean;
  /** The user's endpoint, complete with its password; null where we start one. Never written down. */
  readonly url: string | null;
  readonly settings: TargetSettings;
}

/** The definition with other settings, under the name that says them. */
export function withValues(definition: TargetDefinition, values: SettingValues): TargetDefinition {
  const { base, own, connector } = definition;
  const all = { ...definition.values, ...values };
  return {
    ...definition,
    target: nameOfTarget(base, all, own, connector),
    values: all,
    settings: applied(definition.settings, values, connector),
  };
}

/** Settings with these values in place. */
export function applied(
  settings: TargetSettings,
  values: SettingValues,
  connector: FoundConnector,
): TargetSettings {
  return settingsOf([connector]).reduce((changed, { key, of }) => {
    const value = values[key];
    return value === undefined || of.kind !== 'target' ? changed : of.apply(changed, value);
  }, settings);
}
