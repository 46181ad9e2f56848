import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A SQLite file in the place of a backend's own: each commit of the double is one durable row in it. */
export interface CommitFileDouble {
  readonly directory: string;
  /** One commit, on disk when this returns. */
  write(): void;
  commits(): number;
  close(): Promise<void>;
}

export async function createCommitFileDouble(): Promise<CommitFileDouble> {
  const directory = await mkdtemp(join(tmpdir(), 'convex-protocol-double-'));
  const database = new DatabaseSync(join(directory, 'db.sqlite3'));
  database.exec('CREATE TABLE commits (number INTEGER PRIMARY KEY)');
  const insert = database.prepare('INSERT INTO commits (number) VALUES (?)');
  let commits = 0;
  return {
    directory,
    write() {
      commits += 1;
      insert.run(commits);
    },
    commits: () => commits,
    async close() {
      database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
