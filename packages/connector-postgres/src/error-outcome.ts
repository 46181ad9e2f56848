import type { FaultCode } from '@fair-bench/contract';
import { faultsByCode, type FaultRules } from '@fair-bench/session';

/** SQLSTATEs after which the transaction was certainly rolled back (Appendix A of PostgreSQL's manual). */
const codesBySqlState: Readonly<Record<string, FaultCode>> = {
  '40001': 'serialization-failure',
  '40P01': 'deadlock',
  '53300': 'overloaded',
  '57P03': 'overloaded',
  '22003': 'invalid-request',
  '22P02': 'invalid-request',
  '22P03': 'invalid-request',
};

/**
 * What an error says about the operation that it ended. An ERROR of the server means that the transaction was rolled
 * back; a lost connection, and a FATAL or PANIC that causes it, leave a doubt.
 */
export const faults: FaultRules = {
  codeOf: sqlStateOf,
  refused: codesBySqlState,
  // 40003: completion unknown; class 08: connection; 57P01, 57P02, 57P05, 25P03: the session was ended.
  ended: (sqlState) => /^(40003|08...|57P0[125]|25P03)$/.test(sqlState),
  rolledBack: (error) => severityOf(error) === 'ERROR',
};

/** The fault for an error that ended a sent operation. */
export const faultOfError = faultsByCode(faults);

function sqlStateOf(error: unknown): string | null {
  // A socket's error has a code as well, but no severity.
  if (severityOf(error) === null || !(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

function severityOf(error: unknown): string | null {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string'
    ? error.severity
    : null;
}
