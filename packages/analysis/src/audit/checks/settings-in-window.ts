import { type Check, holds, voids } from '../evidence.ts';

/** A setting that is changed and changed back while the load runs is not seen by facts that are read before and after it. */
export const checkSettingsInWindow: Check = ({ observed: { settings } }) => {
  if (settings === null || settings.changes.length === 0) return holds;
  return voids(
    'settings-in-window',
    `settings were changed while the load ran: ${settings.changes.join('; ')}`,
    'change no setting while a run measures',
  );
};
