import { type Check, pass, fail } from '../evidence.ts';

/** Facts read before and after a trial miss a setting that was changed and changed back in between. */
export const checkSettingsInWindow: Check = ({ observed: { settings } }) => {
  if (settings === null || settings.changes.length === 0) return pass;
  return fail(
    'settings-in-window',
    `settings were changed while the load ran: ${settings.changes.join('; ')}`,
    'do not change settings during a run',
  );
};
