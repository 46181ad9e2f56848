import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import {
  type ClientModule,
  type DataPlane,
  defineClient,
  type Deployment,
  jsonObjectSchema,
  type Values,
  type WorkloadShape,
} from '@fair-bench/contract';
import { importClient } from '@fair-bench/load-client';

/** `none` is the honest twin of a liar: the same module and setting, without the lie. */
export type Lie = 'told' | 'none';

export const liarOptionsSchema = z.strictObject({
  innerModule: z.string(),
  innerOptions: jsonObjectSchema,
  lie: z.enum(['told', 'none']),
  /** Where a liar writes how often it lied, a line for each session; null where nobody asks. */
  liedPath: z.string().nullable(),
});

export interface Liar {
  /** Wraps a real session in one that lies; a liar that counts its lies says so by `lied`, once for each session. */
  tell(inner: DataPlane, workload: WorkloadShape, url: string, lied: (times: number) => void): DataPlane;
  /** Wraps it without a lie; by default the session itself, unless the setting needs both to do something. */
  behave?(inner: DataPlane, workload: WorkloadShape): DataPlane;
  /** The depth given to the real session behind the lie; the true one by default. */
  innerDepth?(depth: number): number;
}

/** A client module that opens the real sessions of another module and lies about their work. */
export function defineLiar(liar: Liar): ClientModule {
  return defineClient({
    async connect({ url, options }, context) {
      const { innerModule, innerOptions, lie, liedPath } = liarOptionsSchema.parse(options);
      const client = await importClient(fileURLToPath(innerModule));
      const depth = (lie === 'told' ? liar.innerDepth?.(context.depth) : undefined) ?? context.depth;
      const inner = await client.connect({ url, options: innerOptions }, { ...context, depth });
      const lied = (times: number): void => {
        if (liedPath !== null) appendFileSync(liedPath, `${times}\n`);
      };
      if (lie === 'told') return liar.tell(inner, context.workload, url, lied);
      return liar.behave?.(inner, context.workload) ?? inner;
    },
  });
}

/** An endpoint that leads a liar's client module to the real one, a file URL. */
export function endpointOfLiar(
  { url, options }: Deployment['endpoint'],
  innerModule: string,
  lie: Lie,
  liedPath: string | null,
): Deployment['endpoint'] {
  return { url, options: { innerModule, innerOptions: options, lie, liedPath } };
}

/** Values that may be stored: their owner reuses the array and its content. */
export function copyOf(values: Values): Values {
  return structuredClone(values);
}
