import { inDoubt, refused, type Fault, type FaultCode, messageOf } from '@fair-bench/contract';

/** What a system's error codes say about the operation that they ended. */
export interface FaultRules {
  /** The server's code in an error, as text; null for another error, such as a socket's. */
  codeOf(error: unknown): string | null;
  /** Codes after which the operation was certainly not applied. */
  readonly refused: Readonly<Record<string, FaultCode>>;
  /** Whether a code means that the connection or the session ended: the operation may have been applied. */
  readonly ended?: (code: string) => boolean;
  /** Whether any other error of the server means that it rolled back; false leaves the operation in doubt. */
  rolledBack(error: unknown): boolean;
  /** Of an engine inside the process: an error without a code is no lost connection. */
  readonly hasNoConnection?: true;
}

/**
 * The fault for an error that ended a sent operation. An error without a server code is a lost connection, and in doubt;
 * a driver's complaint about our call (a TypeError, a RangeError or similar) is an internal fault, and in doubt too: it may
 * have sent something before. The message is the error's, with its code.
 */
export function faultsByCode(rules: FaultRules): (error: unknown) => Fault {
  return (error) => {
    const code = rules.codeOf(error);
    const message = messageOf(error);
    if (code === null && rules.hasNoConnection === true) return inDoubt('internal', message);
    if (code === null && isUsageError(error)) {
      return inDoubt(
        'internal',
        `the driver refused our call: ${message}; correct what the connector passes to it`,
      );
    }
    if (code === null) return inDoubt('connection-lost', message);
    const text = `${message} (${code})`;
    const known = rules.refused[code];
    if (known !== undefined) return refused(known, text);
    if (rules.ended?.(code) === true) return inDoubt('connection-lost', text);
    return rules.rolledBack(error) ? refused('server-error', text) : inDoubt('server-error', text);
  };
}

/** The fault for an operation that was not sent because no connection could be opened. */
export function faultOfConnecting(rules: FaultRules, error: unknown): Fault {
  const code = rules.codeOf(error);
  const isFull = code !== null && rules.refused[code] === 'overloaded';
  return refused(isFull ? 'overloaded' : 'connection-refused', messageOf(error));
}

/** Thrown by a driver's own code because of a wrong call. Networks and servers cause other errors. */
function isUsageError(error: unknown): boolean {
  return [TypeError, RangeError, SyntaxError, ReferenceError].some((type) => error instanceof type);
}
