import type { Row } from '@fair-bench/contract';
import { withFirstRow } from './lying-replies.ts';

/** Over all sessions. */
let before: Row | null = null;

/** Answers a read with what the read before found, under the key that was asked for. */
export default withFirstRow((row) => {
  const other = before ?? row;
  before = row;
  return [row[0] ?? 0, ...other.slice(1)];
});
