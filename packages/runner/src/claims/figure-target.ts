import type { FoundConnector } from '../discover/workspace.ts';
import type { GivenEnd } from '../explain/endpoint.ts';
import { splitTarget } from '../settings/grammar.ts';
import { presetsIn } from '../settings/presets.ts';
import { type AxisSetting, type ClaimFigure, settingsOf } from '@fair-bench/results';

/** The target for a published figure here, in one reading, with the claim's settings as far as they are available. */
export interface FigureTarget {
  readonly id: string;
  readonly reading: string | null;
  /** Null where no target here corresponds to the figure; `notes` has the reasons. */
  readonly end: GivenEnd | null;
  readonly notes: readonly string[];
}

/** Without these something else would be measured; other unavailable settings are reported and left out. */
const needed: ReadonlySet<string> = new Set(['client', 'depth', 'sessions']);

/** The readings of what a figure's source leaves open; null where it leaves nothing open. */
export function figureReadings({ either }: ClaimFigure): readonly (string | null)[] {
  return either?.readings ?? [null];
}

/**
 * Reads a figure's target, in one of its readings. A claim may name connectors and settings that do not exist here; they
 * are reported, not refused as by `explain`.
 */
export function figureTarget(
  figure: ClaimFigure,
  reading: string | null,
  workload: string,
  connectors: readonly FoundConnector[],
  axes: readonly AxisSetting[],
): FigureTarget {
  const isSupported = connectors.some(({ isBound }) => isBound);
  const noWorkload = `the workload ${workload} has no binding for any connector here`;
  const ofFigure = { id: figure.id, reading };
  if (figure.target === null) {
    return { ...ofFigure, end: null, notes: isSupported ? figure.notes : [noWorkload, ...figure.notes] };
  }
  const text = withSettings(figure.target, reading);
  const named = splitTarget(text);
  const name = named?.name ?? figure.target;
  const connector = connectors.find((one) => one.name === name);
  const lacks = (what: string): FigureTarget => ({
    ...ofFigure,
    end: null,
    notes: [what, ...figure.notes],
  });
  if (named === null || connector === undefined) return lacks(`there is no connector ${name} here`);
  if (!connector.isBound) return lacks(`the workload ${workload} has no binding for ${name}`);
  const table = settingsOf([connector], axes);
  const meant = presetsIn(named.presets ?? '', connector);
  const given: Record<string, string> = { ...meant };
  const notes: string[] = [];
  if (named.presets !== null && meant === null) {
    notes.push(`the claim’s @${named.presets} is unavailable for ${name} here`);
  }
  const read = splitTarget(withSettings(name, reading))?.pairs ?? [];
  const isRead = (key: string): boolean => read.some(([one]) => one === key);
  for (const [key, asked] of named.pairs) {
    const found = table.find((one) => one.key === key);
    const offered = found?.offeredBy(connector.manifest) ?? null;
    const value = found?.parse(asked) ?? null;
    if (value !== null && (offered === 'any' || offered?.includes(value) === true)) given[key] = value;
    else if (needed.has(key) || isRead(key) || axes.some((axis) => axis.key === key))
      return lacks(`${name} cannot have ${key} ${asked}`);
    else notes.push(`the claim’s ${key} ${asked} is unavailable for ${name} here`);
  }
  for (const { setting, claimed, used, why } of figure.instead ?? []) {
    notes.push(`${setting} ${used} replaces ${claimed}: ${why}`);
  }
  if (reading !== null) notes.push(`${reading}: one reading, because ${figure.either?.why}`);
  const end = { option: 'claim', text, base: name, connector, given };
  return { ...ofFigure, end, notes: [...notes, ...figure.notes] };
}

/** A target's text with more settings in its brackets. */
function withSettings(target: string, settings: string | null): string {
  if (settings === null) return target;
  return target.endsWith(']') ? `${target.slice(0, -1)},${settings}]` : `${target}[${settings}]`;
}
