import {
  jsonObjectSchema,
  type OperationOutcome,
  type Values,
  workloadShapeSchema,
} from '@fair-bench/contract';
import { z } from 'zod';

const session = { index: z.int() };

/** Values and outcomes are structured clones between processes of one build. */
const requestSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('connect'),
    endpoint: z.object({ url: z.string(), options: jsonObjectSchema }),
    context: z.object({ ...session, depth: z.int(), workload: workloadShapeSchema }),
  }),
  z.object({
    kind: z.literal('execute'),
    ...session,
    operations: z.array(z.object({ operation: z.int(), values: z.custom<Values>(Array.isArray) })),
  }),
  z.object({ kind: z.literal('close'), ...session }),
]);
export type Request = z.infer<typeof requestSchema>;
export const callSchema = z.object({ call: z.int(), request: requestSchema });

const isOutcome = (value: unknown): boolean => typeof value === 'object' && value !== null && 'kind' in value;

const resultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('outcomes'), outcomes: z.array(z.custom<OperationOutcome>(isOutcome)) }),
  z.object({ kind: z.enum(['done', 'lost']) }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
]);
export type Result = z.infer<typeof resultSchema>;
export const answerSchema = z.object({ call: z.int(), result: resultSchema });
