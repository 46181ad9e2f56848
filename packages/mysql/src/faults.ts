import type { FaultRules } from '@fair-bench/session';

/** What the family's error numbers mean for an operation that was sent. */
export const faults: FaultRules = {
  codeOf: (error) => {
    // Drivers' own errors have numbers below 1000 and from 45000 on.
    const code = error instanceof Error && 'errno' in error ? Number(error.errno) : 0;
    return code >= 1_000 && code < 45_000 ? String(code) : null;
  },
  refused: {
    '1020': 'serialization-failure',
    '1040': 'overloaded',
    '1203': 'overloaded',
    '1205': 'serialization-failure',
    '1213': 'deadlock',
    '1226': 'overloaded',
    '1264': 'invalid-request',
    '1690': 'invalid-request',
    // Refused by the other members of a group, by https://dev.mysql.com/doc/mysql-errors/en/server-error-reference.html.
    '3101': 'serialization-failure',
    // A conflict of writes, by https://docs.pingcap.com/tidb/stable/error-codes.
    '9007': 'serialization-failure',
  },
  // The server is shutting down; the connection was killed, or was idle for too long.
  ended: (code) => ['1053', '1927', '4031'].includes(code),
  // Each procedure rolls back in its handler of errors, and a statement by itself.
  rolledBack: () => true,
};

/** Whether a server's error has one of these numbers. */
export function isOf(error: unknown, numbers: readonly number[]): boolean {
  return error instanceof Error && 'errno' in error && numbers.includes(Number(error.errno));
}
