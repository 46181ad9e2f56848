import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { measureStorage, type StorageRuler } from './fsync-rate.ts';

/** One ruler per device that holds data, each measured once. */
export class StorageRulers {
  readonly #byDevice = new Map<number, StorageRuler | null>();

  /**
   * The ruler of the device that holds `directory`; null when the data are elsewhere, or when nothing may
   * be written beside them.
   */
  async of(directory: string | null): Promise<StorageRuler | null> {
    if (directory === null) return null;
    const beside = dirname(directory);
    const device = await stat(beside).then(({ dev }) => dev, notHere);
    if (device === null) return null;
    const known = this.#byDevice.get(device);
    if (known !== undefined) return known;
    const ruler = await measureStorage(beside).catch(notHere);
    this.#byDevice.set(device, ruler);
    return ruler;
  }
}

/** A database reached by URL may keep its data on another machine, or where only its own user may write. */
function notHere(): null {
  return null;
}
