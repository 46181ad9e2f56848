import type {
  ClientModule,
  ConnectSession,
  DataPlane,
  OperationOutcome,
  Outcome,
  Transfer,
} from '@fair-bench/contract';

/**
 * A client module of the old form, which knows the transfer alone, as one for any workload. It goes with the last
 * `sessions.transfer`: delete this file and the branch of `modules.ts` that imports it.
 */
export function adaptSessions(connect: ConnectSession<Transfer>): ClientModule {
  return {
    async connect(endpoint, context): Promise<DataPlane> {
      const session = await connect(endpoint, context);
      return {
        execute(_operation, [source, target, amount]) {
          if (typeof source !== 'number' || typeof target !== 'number' || typeof amount !== 'bigint') {
            throw new Error('this client module carries out transfers alone: (key, key, int64)');
          }
          return session.execute({ source, target, amount }).then(outcomeOf);
        },
        close: () => session.close(),
      };
    },
  };
}

function outcomeOf(outcome: Outcome): OperationOutcome {
  if (outcome.kind !== 'applied') return outcome;
  return outcome.retries === 0 ? appliedAtOnce : { kind: 'applied', reply: null, retries: outcome.retries };
}

const appliedAtOnce: OperationOutcome = Object.freeze({ kind: 'applied', reply: null, retries: 0 });
