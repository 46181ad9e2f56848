import {
  applied,
  type BatchedOperation,
  columnsOf,
  type DataPlane,
  type DataPlaneContext,
  declinesOf,
  defineClient,
  inDoubt,
  messageOf,
  type OperationOutcome,
  refused,
} from '@fair-bench/contract';
import { plannedJson, valueToJson, workloadWithDefaults } from '@fair-bench/workload/execution';
import { z } from 'zod';
import { type ControlInUse, useControl } from './opened.ts';
import { rowsFromJson } from './rows.ts';

const optionsSchema = z.strictObject({
  settings: z.strictObject({
    directory: z.string(),
    durability: z.enum(['durable', 'async']),
    cacheMb: z.number(),
  }),
  steps: z.record(z.string(), z.json()),
  description: z.record(z.string(), z.json()),
  /** In messages. */
  target: z.string(),
  program: z.string(),
});
const faultCodes = z.enum(['invalid-request', 'server-error', 'serialization-failure']);
const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('applied'), rows: z.unknown() }),
  z.strictObject({ kind: z.literal('declined'), reason: z.number() }),
  z.strictObject({ kind: z.literal('fault'), code: faultCodes, inDoubt: z.boolean(), message: z.string() }),
]);
const outcomesSchema = z.array(outcomeSchema);
const commandSchema = z.record(z.string(), z.json());
const missing = inDoubt('server-error', 'the control plane answered with fewer outcomes than operations');

/**
 * The same operations by the control plane's process: how Node reaches an engine that has no package for it. No load client uses it, for
 * what is timed is a call within the load client; tests of durability and the conformance suite do.
 */
export default defineClient({
  async connect({ options }, { signal, workload }) {
    signal.throwIfAborted();
    const { settings, steps, description, target, program } = optionsSchema.parse(options);
    const inUse = await useControl(target, program, settings, steps);
    await inUse.control.ask({
      do: 'workload',
      workload: plannedJson(workloadWithDefaults(description, target)),
      steps,
    });
    return sessionOver(inUse, workload);
  },
});

function sessionOver(inUse: ControlInUse, workload: DataPlaneContext['workload']): DataPlane {
  const outstanding = new Set<Promise<unknown>>();
  let isClosed = false;
  const carryOut = async (operations: readonly BatchedOperation[]): Promise<readonly OperationOutcome[]> => {
    const ofAll = (outcome: OperationOutcome): readonly OperationOutcome[] => operations.map(() => outcome);
    if (isClosed) return ofAll(refused('connection-refused', 'the session is closed'));
    const shapes = operations.flatMap(({ operation }) => workload.operations[operation] ?? []);
    if (shapes.length < operations.length)
      return ofAll(refused('invalid-request', 'there is no such operation'));
    try {
      const numbered = operations.map(({ operation, values }) => [operation, values.map(valueToJson)]);
      const command = commandSchema.parse({ do: 'execute', operations: numbered });
      const outcomes = outcomesSchema.parse(await inUse.control.ask(command));
      return shapes.map((shape, place) => {
        const outcome = outcomes[place];
        return outcome === undefined ? missing : outcomeOf(outcome, shape, workload);
      });
    } catch (error) {
      return ofAll(inDoubt('connection-lost', messageOf(error)));
    }
  };
  const noted = (operations: readonly BatchedOperation[]): Promise<readonly OperationOutcome[]> => {
    const outcomes = carryOut(operations);
    outstanding.add(outcomes);
    void outcomes.then(() => outstanding.delete(outcomes));
    return outcomes;
  };
  return {
    async execute(operation, values) {
      const [outcome] = await noted([{ operation, values }]);
      return outcome ?? missing;
    },
    executeBatch: noted,
    async close() {
      isClosed = true;
      await Promise.all(outstanding);
      await inUse[Symbol.asyncDispose]();
    },
  };
}

function outcomeOf(
  outcome: z.infer<typeof outcomeSchema>,
  shape: DataPlaneContext['workload']['operations'][number],
  workload: DataPlaneContext['workload'],
): OperationOutcome {
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
