import { defaultTargetSettings } from '@fair-bench/contract';
import type { CellSummary, RunSummary } from '@fair-bench/results';
import { left, type Section, tableOf } from './section.ts';

const { profile: defaultProfile } = defaultTargetSettings;

interface ProfiledTarget {
  readonly target: string;
  readonly profile: string;
  readonly settings: string;
}

/**
 * The live settings of targets with a tuning profile: those that differ from the same system's defaults if these were
 * measured, otherwise all.
 */
export function profilesSection({ cells }: RunSummary): readonly Section[] {
  const rows = [...new Map(cells.map((cell) => [cell.target, cell])).values()].flatMap(
    (cell): ProfiledTarget[] => {
      const { target, profile = defaultProfile } = cell;
      const live = settingsOf(cell);
      if (profile === defaultProfile || live === null) return [];
      const asItShips = cells.find(
        (one) => one.system === cell.system && (one.profile ?? defaultProfile) === defaultProfile,
      );
      const defaults = (asItShips && settingsOf(asItShips)) ?? {};
      const differing = Object.entries(live).filter(([name, value]) => defaults[name] !== value);
      const settings = differing.map(([name, value]) => `${name} ${value}`).join(', ');
      return [{ target, profile, settings }];
    },
  );
  if (rows.length === 0) return [];
  const lines = ['Settings as read live in the sessions that did the timed work.'];
  return [{ title: 'Tuning profiles', lines, table: tableOf(columns, rows) }];
}

const columns = [
  left<ProfiledTarget>('target', ({ target }) => target),
  left<ProfiledTarget>('profile', ({ profile }) => profile),
  left<ProfiledTarget>('settings', ({ settings }) => settings),
];

function settingsOf(cell: CellSummary): Readonly<Record<string, string>> | null {
  return cell.status === 'unavailable' ? null : (cell.facts?.settings ?? null);
}
