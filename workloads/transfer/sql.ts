import { atomic, bindSql, int64 } from '@fair-bench/sql/embedded/binding';
import workload from './workload.ts';

interface Transfer {
  readonly source: number;
  readonly target: number;
  readonly amount: bigint;
}

const balanceOf = 'SELECT balance FROM account WHERE id = $1';
const debit = 'UPDATE account SET balance = balance - $2 WHERE id = $1';
const credit = 'UPDATE account SET balance = balance + $2 WHERE id = $1';

/** The transfer as one transaction of four prepared statements. */
export default bindSql(workload, (sql) => {
  const move = atomic(sql, async ({ source, target, amount }: Transfer) => {
    const [from] = await sql.query(balanceOf, [source]);
    const [to] = await sql.query(balanceOf, [target]);
    if (from === undefined || to === undefined) return { declined: 'missing-account' };
    if (int64(from[0]) < amount) return { declined: 'insufficient-funds' };
    await sql.query(debit, [source, amount]);
    await sql.query(credit, [target, amount]);
    return null;
  });
  return {
    transfer(transfer: Transfer) {
      if (transfer.amount <= 0n) return { declined: 'non-positive-amount' };
      if (transfer.source === transfer.target) return { declined: 'same-account' };
      return move(transfer);
    },
  };
});
