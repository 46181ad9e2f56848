import { type SessionSpan, wholeSpan } from '../stream.ts';
import { nothingAt } from '../nothing-at.ts';
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';

/**
 * The file of a trial's outcome logs, in little-endian 32-bit words: magic, version, then sections of sessions up to
 * its end, in any order and from any number of threads. SPECIFICATION.md has the same as a table.
 */
const magic = 0x4c4f_4246; // The bytes "FBOL".
const version = 1;
const headerWords = 13;

/** An applied operation that returned a changed row has this kind among the exceptions. */
export const changeSeen = 3;

/** The settled time of an operation whose end was not seen. */
export const neverUs = 0xffff_ffff;

/** The log of one session as the replay reads it. Entries are in the order in which operations settled. */
export interface SessionOutcomes {
  readonly session: number;
  /** How many sessions the trial had. */
  readonly sessions: number;
  readonly drawn: number;
  /** Reads of every so many rows are logged: 1, 2, 4, or 0 for none. */
  readonly readsOfEvery: number;
  /** Whether writes did not fit. */
  readonly overflowed: boolean;
  /** Replies that were invalid in themselves, and the first few in words. */
  readonly mistakesCount: number;
  readonly mistakes: readonly string[];
  /**
   * Two words each: sequence; operation << 16 | kind << 8 | code. Kinds: 0 declined, 1 fault, 2 in doubt, 3 applied, with a row
   * as another connection had changed it.
   */
  readonly exceptions: Uint32Array;
  /** Two words for each sequence: sent and settled, microseconds. Shorter than `drawn` where the rest has no times. */
  readonly times: Uint32Array;
  /** Three words each: sequence, version. */
  readonly reads: Uint32Array;
  /** Sequence, number of words that follow; for each row two words for each key column, and the version. */
  readonly scans: Uint32Array;
  /** Sequence, number of words that follow; two for each returned field. */
  readonly fields: Uint32Array;
}

/** As the client has it: the words of each part in several pieces. */
type Parts = 'exceptions' | 'times' | 'reads' | 'scans' | 'fields';
type Section = Omit<SessionOutcomes, Parts> & Readonly<Record<Parts, readonly Uint32Array[]>>;

export function encodeSession(section: Section): Uint8Array[] {
  const { exceptions, times, reads, scans, fields } = section;
  const text = Buffer.from(section.mistakes.join('\n'));
  const padded = new Uint8Array(Math.ceil(text.length / 4) * 4);
  padded.set(text);
  const blocks = [exceptions, times, reads, scans, fields];
  const header = Uint32Array.from([
    section.session,
    section.sessions,
    section.drawn,
    section.readsOfEvery,
    section.overflowed ? 1 : 0,
    section.mistakesCount,
    text.length,
    ...blocks.map((block) => block.reduce((sum, part) => sum + part.length, 0)),
    0,
  ]);
  const parts = blocks.flat().filter(({ length }) => length > 0);
  return [bytesOf(header), padded, ...parts.map(bytesOf)];
}

export interface OutcomeLogFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes one file from the encoded logs of all threads. */
export async function writeOutcomeLog(
  path: string,
  logs: readonly (readonly Uint8Array[])[],
): Promise<OutcomeLogFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = await open(path, 'w');
  try {
    for (const part of inBatches([bytesOf(Uint32Array.from([magic, version])), ...logs.flat()])) {
      hash.update(part);
      await file.writeFile(part);
      bytes += part.byteLength;
    }
  } finally {
    await file.close();
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

const batchBytes = 2 ** 20;

/** Each session has a few parts, most of them small; writing them one by one would be slower. */
function* inBatches(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    batch.push(part);
    bytes += part.byteLength;
    if (bytes < batchBytes) continue;
    yield Buffer.concat(batch);
    [batch, bytes] = [[], 0];
  }
  yield Buffer.concat(batch);
}

/** Reads a log file; rejects when its hash or its format is wrong, or when it does not have exactly these sessions: all of its trial unless given. */
export async function readOutcomeLog(
  { path, sha256 }: Omit<OutcomeLogFile, 'bytes'>,
  sessions?: SessionSpan,
): Promise<SessionOutcomes[]> {
  return parseOutcomeLog(await readHashed(path, sha256), sessions);
}

/** What a reader would find in a file of these parts. */
export function outcomesOf(parts: readonly Uint8Array[]): SessionOutcomes[] {
  return parseOutcomeLog(Buffer.concat([bytesOf(Uint32Array.from([magic, version])), ...parts]));
}

/** Parses the bytes of a log file. Throws when they are not in this format. */
export function parseOutcomeLog(bytes: Uint8Array, sessions?: SessionSpan): SessionOutcomes[] {
  const sections = parseSections(bytes);
  const [first] = sections;
  if (first === undefined) throw corrupt('it has no session');
  return checked(sections, sessions ?? wholeSpan(first.sessions));
}

/** The log of a part of a trial's sessions, with the conversion of its times to the trial's. */
export interface PartOfLog {
  readonly path: string;
  readonly sha256: string;
  /** From the trial's first operation to the part's, microseconds; added to its times. */
  readonly laterUs: number;
  /** The possible error of that: intervals widen by it on either side. */
  readonly errorUs: number;
}

/** Writes the log of a whole trial from those of its parts. */
export async function mergeOutcomeLogs(path: string, parts: readonly PartOfLog[]): Promise<OutcomeLogFile> {
  // No time may come before the trial's beginning.
  const baseUs = Math.max(0, ...parts.map(({ laterUs, errorUs }) => errorUs - laterUs));
  const logs: Uint8Array[][] = [];
  for (const part of parts) {
    const bytes = await readHashed(part.path, part.sha256);
    logs.push(...parseSections(bytes).map((section) => encodeSession(shifted(section, part, baseUs))));
  }
  return await writeOutcomeLog(path, logs);
}

function shifted(log: SessionOutcomes, { laterUs, errorUs }: PartOfLog, baseUs: number): Section {
  const times = log.times.map((timeUs, place) => {
    const hasTimes = (log.times[place | 1] ?? nothingAt(place | 1)) !== 0;
    if (!hasTimes || timeUs === neverUs) return timeUs;
    const isSent = place % 2 === 0;
    const movedUs = timeUs + baseUs + laterUs + (isSent ? -errorUs : errorUs);
    return Math.min(neverUs - 1, isSent ? Math.floor(movedUs) : Math.ceil(movedUs));
  });
  const { exceptions, reads, scans, fields } = log;
  return {
    ...log,
    exceptions: [exceptions],
    times: [times],
    reads: [reads],
    scans: [scans],
    fields: [fields],
  };
}

async function readHashed(path: string, sha256: string): Promise<Uint8Array> {
  const bytes = await readFile(path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new Error(`outcome log ${path}: its SHA-256 is not the one that was reported; run the trial again`);
  }
  return bytes;
}

function parseSections(bytes: Uint8Array): SessionOutcomes[] {
  if (bytes.length < 8 || bytes.length % 4 !== 0) throw corrupt(`it has ${bytes.length} bytes`);
  const all = wordsOf(bytes);
  if (all[0] !== magic) throw corrupt('it does not begin with the magic number of an outcome log');
  if (all[1] !== version) throw corrupt(`it has version ${all[1]}, this reader knows version ${version}`);
  const sections: SessionOutcomes[] = [];
  let at = 2;
  const take = (count: number): Uint32Array => {
    if (at + count > all.length) throw corrupt(`a section ends beyond its ${bytes.length} bytes`);
    at += count;
    return all.subarray(at - count, at);
  };
  while (at < all.length) {
    const header = take(headerWords);
    const [
      session = nothingAt(0),
      sessions = nothingAt(1),
      drawn = nothingAt(2),
      readsOfEvery = nothingAt(3),
      overflowed,
      mistakesCount = nothingAt(5),
      textLength = nothingAt(6),
    ] = header;
    const text = bytesOf(take(Math.ceil(textLength / 4))).subarray(0, textLength);
    const block = (place: number): Uint32Array => take(header[7 + place] ?? nothingAt(7 + place));
    sections.push({
      session,
      sessions,
      drawn,
      readsOfEvery,
      overflowed: overflowed === 1,
      mistakesCount,
      mistakes: textLength === 0 ? [] : Buffer.from(text).toString().split('\n'),
      exceptions: block(0),
      times: block(1),
      reads: block(2),
      scans: block(3),
      fields: block(4),
    });
  }
  return sections;
}

function checked(sections: SessionOutcomes[], span: SessionSpan): SessionOutcomes[] {
  const seen = new Set<number>();
  for (const { session, sessions, drawn, exceptions, times, reads } of sections) {
    if (sessions !== span.all) throw corrupt(`a session is one of ${sessions}, and not of ${span.all}`);
    if (session < span.first || session >= span.first + span.count)
      throw corrupt(`session ${session} is not one of ${span.count} from ${span.first} on`);
    if (span.count !== sections.length) throw corrupt(`it has ${sections.length} of ${span.count} sessions`);
    if (seen.has(session)) throw corrupt(`session ${session} is there twice`);
    seen.add(session);
    if (exceptions.length % 2 !== 0 || reads.length % 3 !== 0) throw corrupt('an entry is cut short');
    for (let at = 0; at < exceptions.length; at += 2) {
      if ((exceptions[at] ?? nothingAt(at)) >= drawn)
        throw corrupt(`operation ${exceptions[at]} of ${drawn} of session ${session}`);
    }
    for (let at = 0; at < times.length; at += 2) {
      const [sentUs, settledUs] = [times[at] ?? nothingAt(at), times[at + 1] ?? nothingAt(at + 1)];
      if (at >= 2 * drawn && settledUs !== 0)
        throw corrupt(`operation ${at / 2} of ${drawn} of session ${session} has times`);
      if (settledUs !== 0 && settledUs < sentUs)
        throw corrupt(`operation ${at / 2} of session ${session} settled before it was sent`);
    }
  }
  return sections.sort((a, b) => a.session - b.session);
}

function corrupt(fact: string): Error {
  return new Error(`outcome log: corrupt: ${fact}; run the trial again`);
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
