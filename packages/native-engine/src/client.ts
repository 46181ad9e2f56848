import {
  applied,
  type ClientModule,
  columnsOf,
  type DataPlane,
  type DataPlaneContext,
  declinesOf,
  inDoubt,
  messageOf,
  type OperationOutcome,
  refused,
} from '@fair-bench/contract';
import { plannedJson, valueToJson } from '@fair-bench/workload';
import { z } from 'zod';
import { type ControlInUse, useControl } from './opened.ts';
import { rowsFromJson } from './rows.ts';
import { workloadOf } from './steps.ts';

const optionsSchema = z.strictObject({
  settings: z.strictObject({
    directory: z.string(),
    durability: z.enum(['durable', 'async']),
    cacheMb: z.number(),
  }),
  steps: z.record(z.string(), z.json()),
  description: z.record(z.string(), z.json()),
  program: z.string(),
});
const faultCodes = z.enum(['invalid-request', 'server-error', 'serialization-failure']);
const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('applied'), rows: z.json() }),
  z.strictObject({ kind: z.literal('declined'), reason: z.number() }),
  z.strictObject({ kind: z.literal('fault'), code: faultCodes, inDoubt: z.boolean(), message: z.string() }),
]);

/**
 * The same operations by the control plane's process: how Node reaches an engine that has no package for it. No route offers it, for
 * what is timed is a call within the load client; the conformance suite uses it.
 */
export function nativeEngineClient(name: string): ClientModule {
  return {
    async connect({ options }, { signal, workload }) {
      signal.throwIfAborted();
      const { settings, steps, description, program } = optionsSchema.parse(options);
      const inUse = await useControl(name, program, settings, steps);
      await inUse.control.ask({ do: 'workload', workload: plannedJson(workloadOf(description)), steps });
      return sessionOver(inUse, workload);
    },
  };
}

function sessionOver(inUse: ControlInUse, workload: DataPlaneContext['workload']): DataPlane {
  const outstanding = new Set<Promise<OperationOutcome>>();
  let isClosed = false;
  const carryOut = async (
    ...[operation, values]: Parameters<DataPlane['execute']>
  ): Promise<OperationOutcome> => {
    const shape = workload.operations[operation];
    if (shape === undefined) return refused('invalid-request', `there is no operation ${operation}`);
    try {
      const command = z.json().parse({ do: 'execute', operation, arguments: values.map(valueToJson) });
      const answer = await inUse.control.ask(z.record(z.string(), z.json()).parse(command));
      return outcomeOf(answer, shape, workload);
    } catch (error) {
      return inDoubt('connection-lost', messageOf(error));
    }
  };
  return {
    execute(operation, values) {
      if (isClosed) return Promise.resolve(refused('connection-refused', 'the session is closed'));
      const outcome = carryOut(operation, values);
      outstanding.add(outcome);
      void outcome.then(() => outstanding.delete(outcome));
      return outcome;
    },
    async close() {
      isClosed = true;
      await Promise.all(outstanding);
      await inUse[Symbol.asyncDispose]();
    },
  };
}

function outcomeOf(
  answer: unknown,
  shape: DataPlaneContext['workload']['operations'][number],
  workload: DataPlaneContext['workload'],
): OperationOutcome {
  const outcome = outcomeSchema.parse(answer);
  if (outcome.kind === 'fault') {
    return (outcome.inDoubt ? inDoubt : refused)(outcome.code, outcome.message);
  }
  if (outcome.kind === 'declined') {
    const declined = declinesOf(shape).get(shape.reasons[outcome.reason]);
    return declined ?? inDoubt('protocol-error', `it has no reason ${outcome.reason}`);
  }
  if (shape.returns.kind === 'nothing') return applied;
  const rows = rowsFromJson(outcome.rows, columnsOf(workload, shape.returns));
  const reply =
    shape.returns.kind === 'fields'
      ? { kind: 'fields' as const, fields: rows[0] ?? [] }
      : { kind: 'rows' as const, rows };
  return { kind: 'applied', reply, retries: 0 };
}
