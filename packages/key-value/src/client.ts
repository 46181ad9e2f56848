import {
  applied,
  type ClientModule,
  declinesOf,
  type Fault,
  inDoubt,
  messageOf,
  type OperationOutcome,
  refused,
  type WorkloadShape,
} from '@fair-bench/contract';
import {
  type Connection,
  faultsByCode,
  openBounded,
  Outstanding,
  reconnectingSession,
} from '@fair-bench/session';
import { workloadWithDefaults } from '@fair-bench/workload/execution';
import { z } from 'zod';
import { done, Programs } from './program.ts';
import type { KeyValueConnection, KeyValueSystem } from './system.ts';

const optionsSchema = z.strictObject({ description: z.json() });

/** The data plane of a route of `keyValueConnector`: one program for each operation; its module's default export. */
export function keyValueClient(system: KeyValueSystem): ClientModule {
  const faultOf = faultsByCode(system.faults);
  return {
    async connect({ url, options }, { signal: first, workload }) {
      const { description } = optionsSchema.parse(options);
      const programs = new Programs(workloadWithDefaults(description, system.name));
      const open = async (signal: AbortSignal): Promise<Connection> => {
        const live = await openBounded(async () => await system.connect(url), signal);
        return connectionOver(live, programs, workload, faultOf);
      };
      return await reconnectingSession({ open, signal: first });
    },
  };
}

function connectionOver(
  live: KeyValueConnection,
  programs: Programs,
  workload: WorkloadShape,
  faultOf: (error: unknown) => Fault,
): Connection {
  const readers = workload.operations.map((_operation, number) => answerReader(programs, workload, number));
  // Not every driver settles its calls when it is ended.
  const outstanding = new Outstanding();
  return {
    get usable() {
      return live.usable;
    },
    execute(operation, values) {
      let program: readonly string[];
      try {
        program = programs.of(operation, values);
      } catch (error) {
        return Promise.resolve(refused('invalid-request', messageOf(error)));
      }
      return outstanding.call((settle) => {
        live.run(program).then(
          (answer) => settle(readers[operation]?.(answer) ?? unread(answer)),
          (error: unknown) => settle(faultOf(error)),
        );
      });
    },
    async end() {
      outstanding.settleAll(inDoubt('connection-lost', 'the session was closed'));
      await live.end();
    },
  };
}

type Answer = Awaited<ReturnType<KeyValueConnection['run']>>;

/** The meaning of a program's answer for its operation. */
function answerReader(
  programs: Programs,
  workload: WorkloadShape,
  number: number,
): (answer: Answer) => OperationOutcome {
  const operation = workload.operations[number];
  const { reasons = [], returns } = operation ?? {};
  const declines = declinesOf({ reasons });
  return (answer) => {
    if (typeof answer === 'number') {
      if (answer === done && returns?.kind === 'nothing') return applied;
      return declines.get(reasons[answer]) ?? unread(answer);
    }
    if (returns?.kind !== 'row' && returns?.kind !== 'rows') return unread(answer);
    const table = programs.tables[returns.table];
    if (table === undefined) return unread(answer);
    const rows = answer.map(([key = '', ...fields]) => table.rowOf(key, fields));
    return { kind: 'applied', reply: { kind: 'rows', rows }, retries: 0 };
  };
}

function unread(answer: Answer): Fault {
  return inDoubt(
    'protocol-error',
    `the program answered ${JSON.stringify(answer)}, which is no answer to its operation`,
  );
}
