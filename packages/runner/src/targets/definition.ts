import type { ClusterNode, Price, TargetSettings } from '@fair-bench/contract';
import type { FoundConnector } from '../discover/workspace.ts';
import { nameOfTarget } from '../settings/presets.ts';
import { settingsOf, type SettingValues } from '@fair-bench/results';

/** A target under its name: a connector with its endpoint and settings. */
export interface TargetDefinition {
  /** As in plans, results and `--systems`: the base, with the values that differ from it after `@`. */
  readonly target: string;
  /** The connector's name, or that of a target in the user's configuration. */
  readonly base: string;
  /** The base's settings in the user's configuration. */
  readonly own: SettingValues;
  /** What differs from the base. */
  readonly values: SettingValues;
  readonly connector: FoundConnector;
  /** The product: the connector's system, unless the user's configuration names another. */
  readonly system: string;
  /** Whether it stands in the user's configuration. */
  readonly configured: boolean;
  /** The user's endpoint, with its password; null if we start one. Never written to a file. */
  readonly url: string | null;
  /** The servers of the user's cluster at that endpoint, with their passwords; empty without one. Never written to a file. */
  readonly nodes: readonly ClusterNode[];
  readonly settings: TargetSettings;
  /** As the user's configuration says. */
  readonly price?: Price | undefined;
}

/** The definition with other settings, under the name that lists them. */
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

/** The settings with these values replaced. */
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
