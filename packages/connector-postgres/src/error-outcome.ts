import { type Fault, type FaultCode, inDoubt, refused } from '@fair-bench/contract';
import { reasonOf } from './connection.ts';

/** SQLSTATEs after which the transaction was rolled back for certain (Appendix A of PostgreSQL's manual). */
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
 * The fault for an error that ended a transfer which had been sent. An ERROR of the server's means that the
 * transaction was rolled back; a lost connection, and a FATAL or PANIC that loses it, leave a doubt.
 */
export function faultOfError(error: unknown): Fault {
  const { sqlState, severity } = serverError(error);
  const message = reasonOf(error);
  if (sqlState === null) return inDoubt('connection-lost', message);
  const text = `${message} (SQLSTATE ${sqlState})`;
  const code = codesBySqlState[sqlState];
  if (code !== undefined) return refused(code, text);
  // 40003: completion unknown; class 08: connection; 57P01, 57P02, 57P05, 25P03: the session was ended.
  if (/^(40003|08...|57P0[125]|25P03)$/.test(sqlState)) return inDoubt('connection-lost', text);
  if (severity !== 'ERROR') return inDoubt('server-error', text);
  return refused('server-error', text);
}

/** The fault for a transfer that was not sent because no connection could be had. */
export function faultOfConnectError(error: unknown): Fault {
  const { sqlState } = serverError(error);
  const full = sqlState === '53300' || sqlState === '57P03';
  return refused(full ? 'overloaded' : 'connection-refused', reasonOf(error));
}

function serverError(error: unknown): { sqlState: string | null; severity: string | null } {
  // A socket's error has a code as well, but no severity.
  if (typeof error !== 'object' || error === null || !('code' in error) || !('severity' in error)) {
    return { sqlState: null, severity: null };
  }
  return {
    sqlState: typeof error.code === 'string' ? error.code : null,
    severity: typeof error.severity === 'string' ? error.severity : null,
  };
}
