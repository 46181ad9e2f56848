import { type ClientModule, defineClient } from '@fair-bench/contract';
import type { Engine, EngineSystem } from '@fair-bench/engine';
import { engineClient } from '@fair-bench/engine/client';
import { system } from '../../../connector-lmdb/src/system.ts';
import { liarOptionsSchema } from './lying-client.ts';

/** A client module with a real engine in it that lies about its work. */
export function defineLyingEngine(tell: (engine: Engine) => Engine): ClientModule {
  const liar: EngineSystem = {
    ...system,
    open: async (directory, options) => tell(await system.open(directory, options)),
  };
  return defineClient({
    async connect({ url, options }, context) {
      const { innerOptions, lie } = liarOptionsSchema.parse(options);
      return await engineClient(lie === 'told' ? liar : system).connect(
        { url, options: innerOptions },
        context,
      );
    },
  });
}
