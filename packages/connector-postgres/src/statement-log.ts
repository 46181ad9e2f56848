import { open, stat } from 'node:fs/promises';
import { type StatementProtocol, ourSchema } from '@fair-bench/contract';

/**
 * A server of ours writes the statements of one transaction in 2,000 to its log: what it was sent, by whatever client, in the
 * sessions that do the timed work. At 100,000 transactions a second these are 50.
 */
export const statementLogSettings = {
  log_transaction_sample_rate: '0.0005',
  log_parameter_max_length: '0',
  // The session's name in angle brackets; processes without a session have none.
  log_line_prefix: '%m [%p] %q<%a> ',
};

type Sampled = Record<StatementProtocol, number>;

const entry =
  /^[^[]*\[(\d+)\] <(.*?)> LOG: {2}duration: [\d.]+ ms {2}(?:(statement)|(parse|bind|execute) (\S+)): ([^]*)/;
/** A statement may have several lines. */
const nextEntry = /\n(?=\d{4}-\d\d-\d\d \d\d:)/;
/** Sessions of ours beside the timed ones. */
const ownSessions = ['fair-bench control', 'fair-bench observer'];
const bytesMax = 16 * 2 ** 20;

/** Watches a log from its present end on; resolves with a function that counts what came since. */
export async function watchStatements(logPath: string): Promise<() => Promise<Sampled>> {
  const from = (await stat(logPath)).size;
  return async () => sampledIn(await textFrom(logPath, from));
}

/** Counts the calls in a log of PostgreSQL by the protocol that the server names. A pooler's own statements are not calls. */
export function sampledIn(log: string): Sampled {
  const sampled: Sampled = { prepared: 0, extended: 0, simple: 0 };
  /** Processes that parsed a statement without a name since they executed one. */
  const parsed = new Set<string>();
  for (const text of log.split(nextEntry)) {
    const [, process = '', session = '', simple, step, name = '', statement = ''] = entry.exec(text) ?? [];
    if (ownSessions.includes(session) || !statement.includes(`${ourSchema()}.`)) continue;
    const isUnnamed = name.startsWith('<unnamed>');
    if (simple !== undefined) sampled.simple += 1;
    else if (step === 'parse' && isUnnamed) parsed.add(process);
    // Without a parse of its own, a call uses what an earlier one left, as a prepared one does.
    else if (step === 'execute') sampled[isUnnamed && parsed.delete(process) ? 'extended' : 'prepared'] += 1;
  }
  return sampled;
}

async function textFrom(path: string, from: number): Promise<string> {
  await using file = await open(path);
  const { size } = await file.stat();
  const bytes = Buffer.alloc(Math.min(bytesMax, Math.max(0, size - from)));
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
  return bytes.toString('utf8', 0, bytesRead);
}
