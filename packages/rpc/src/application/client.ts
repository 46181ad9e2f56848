import { type ApplicationOperation, applicationSchema, type ClientModule } from '@fair-bench/contract';
import { httpSession } from '@fair-bench/session';
import { z } from 'zod';
import { applicationCall } from './call.ts';

const optionsSchema = z.strictObject({
  health: z.string(),
  operations: applicationSchema.shape.operations,
});

/** The client module of every route whose targets are applications of the user's: their own HTTP API, by undici. */
export const applicationClient: ClientModule = {
  async connect({ url, options }, { depth, signal, workload }) {
    const { health: healthPath, operations } = optionsSchema.parse(options);
    const mapped: Readonly<Record<string, ApplicationOperation>> = operations;
    const calls = workload.operations.map((operation) =>
      applicationCall(workload, operation, mapped[operation.name]),
    );
    return await httpSession({ url, healthPath, calls, depth, signal }, 'stock');
  },
};
