import { fileURLToPath, pathToFileURL } from 'node:url';
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
import { importClient } from '@fair-bench/runner';

/** `none` is the honest twin of a liar: the same module and setting, without the lie. */
export type Lie = 'told' | 'none';

const optionsSchema = z.strictObject({
  innerModule: z.string(),
  innerOptions: jsonObjectSchema,
  lie: z.enum(['told', 'none']),
});

export interface Liar {
  /** Wraps a real session in one that lies. */
  tell(inner: DataPlane, workload: WorkloadShape): DataPlane;
  /** Wraps it where no lie is told; the session as it is unless the setting needs something of both. */
  behave?(inner: DataPlane, workload: WorkloadShape): DataPlane;
  /** What the real session is told of its depth; the truth unless said otherwise. */
  innerDepth?(depth: number): number;
}

/** A client module that opens the real sessions of another module and lies about what they do. */
export function defineLiar(liar: Liar): ClientModule {
  return defineClient({
    async connect({ url, options }, context) {
      const { innerModule, innerOptions, lie } = optionsSchema.parse(options);
      const client = await importClient(fileURLToPath(innerModule));
      const depth = liar.innerDepth?.(context.depth) ?? context.depth;
      const inner = await client.connect({ url, options: innerOptions }, { ...context, depth });
      if (lie === 'told') return liar.tell(inner, context.workload);
      return liar.behave?.(inner, context.workload) ?? inner;
    },
  });
}

/** A deployment whose endpoint leads a liar's client module to the real one. */
export function behindLiar(deployment: Deployment, clientModulePath: string, lie: Lie): Deployment {
  const { url, options } = deployment.endpoint;
  const innerModule = pathToFileURL(clientModulePath).href;
  return { ...deployment, endpoint: { url, options: { innerModule, innerOptions: options, lie } } };
}

/** Values that may be kept: their owner reuses the array and what is in it. */
export function copyOf(values: Values): Values {
  return structuredClone(values);
}
