import type { Row } from '@fair-bench/contract';
import { withFirstRow } from './lying-replies.ts';

/** Over all sessions: the rows as they were first read. */
const first = new Map<string, Row>();

/** Answers a read with the row as it was when it was first read. */
export default withFirstRow((row) => {
  const key = String(row[0]);
  const known = first.get(key) ?? row;
  first.set(key, known);
  return known;
});
