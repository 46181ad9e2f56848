import { type ClientModule, inDoubt } from '@fair-bench/contract';
import {
  type Connection,
  faultsByCode,
  openBounded,
  Outstanding,
  reconnectingSession,
} from '@fair-bench/session';
import { z } from 'zod';
import { statementsSchema } from './binding.ts';
import { statementCalls } from './calls.ts';
import type { SqlSystem } from './system.ts';

const optionsSchema = z.strictObject({ statements: statementsSchema });

/** The data plane of a route of `sqlConnector`: one statement for each operation; its module's default export. */
export function sqlClient(system: SqlSystem): ClientModule {
  const { dialect } = system;
  const faultOf = faultsByCode(system.faults);
  return {
    async connect({ url, options }, { signal: first, workload }) {
      const { statements } = optionsSchema.parse(options);
      const open = async (signal: AbortSignal): Promise<Connection> => {
        const connection = await openBounded(async () => await system.connect(url), signal);
        const run: Parameters<typeof statementCalls>[0]['run'] = ({ text }, parameters) =>
          connection.query(text, parameters);
        const calls = statementCalls({ workload, statements, dialect, run, faultOf });
        // Not every driver settles its calls when it is ended.
        const outstanding = new Outstanding();
        let isEnded = false;
        return {
          get usable() {
            return !isEnded && !calls.lost();
          },
          execute: (operation, values) =>
            outstanding.call((settle) => void calls.execute(operation, values).then(settle)),
          async end() {
            isEnded = true;
            outstanding.settleAll(inDoubt('connection-lost', 'the session was closed'));
            await connection.end();
          },
        };
      };
      return await reconnectingSession({ open, signal: first });
    },
  };
}
