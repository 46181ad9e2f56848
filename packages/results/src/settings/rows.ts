import { loadRows } from './load-settings.ts';
import { isOfLoad, type LoadSetting, type Setting } from './setting.ts';
import { targetSettings } from './target-settings.ts';

/**
 * The one table of what can differ between two measurements, in the order of ids, columns and reports: options, help, ids,
 * columns, sweeps, parity lines and the factors of explanations are read from it. A connector's own settings and the
 * workload's axes come beside it. Modules read it when they are loaded.
 */
export const settings: Setting[] = [...Object.values(loadRows), ...targetSettings];

/** The rows of the load. */
export function settingsOfLoad(): readonly LoadSetting[] {
  return settings.filter(isOfLoad);
}
