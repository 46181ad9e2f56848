import { open } from 'node:fs/promises';

/** In the header of the write-ahead log: how often it was begun anew after a checkpoint ("Database File Format" of SQLite, 4.1). */
const sequenceAt = 12;

/** How often a checkpoint was whole, so that the log began anew. Empty without a log. */
export async function checkpointsOf(path: string): Promise<Readonly<Record<string, number>>> {
  try {
    await using file = await open(`${path}-wal`, 'r');
    const word = Buffer.alloc(4);
    const { bytesRead } = await file.read(word, 0, word.length, sequenceAt);
    return bytesRead < word.length ? {} : { checkpoint: word.readUInt32BE() };
  } catch {
    return {};
  }
}
