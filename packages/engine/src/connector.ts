import { blindObserver, type Connector, defineConnector, messageOf, rowObserver } from '@fair-bench/contract';
import { refuseReplies, storedTables } from './executor.ts';
import { inClientRoute } from './in-client-route.ts';
import { useEngine } from './opened.ts';
import { type EngineSystem, openOptionsOf } from './system.ts';
import { tablesOf } from './tables.ts';

export { anotherWorkload, inClientRoute } from './in-client-route.ts';

/** A route with the engine in the Node load client. */
export function engineRoute(system: EngineSystem) {
  const { title, isShared } = system;
  return inClientRoute(system, {
    problem({ threadsMax }, workload) {
      if (!isShared && threadsMax > 1) {
        const reason = `one thread alone can have ${title} open, and the load client has ${threadsMax}`;
        return { reason, remedy: 'use --threads 1' };
      }
      if (workload !== null) refuseReplies(workload);
      return null;
    },
    async available() {
      try {
        return { available: true, provider: 'in-process', version: await system.version() };
      } catch (error) {
        return {
          available: false,
          reason: `${title} cannot be loaded: ${messageOf(error)}`,
          remedy: 'leave this target out: its package has no binary for this platform',
        };
      }
    },
    async engineIn(directory, workload, { options }) {
      const version = await system.version();
      const opened = openOptionsOf(system, options);
      const open = async () => await useEngine(system, directory, opened);
      const tables = tablesOf(open, storedTables(workload.tables));
      return {
        options: { ...opened },
        writersMax: 1,
        tables,
        async inForce() {
          await using inUse = await open();
          const { engine } = inUse;
          return { version, settings: engine.settings(), requested: engine.requested ?? {} };
        },
        async prepare() {
          await using inUse = await open();
          await inUse.engine.settle?.();
        },
        async observe(signal) {
          if (!isShared) return blindObserver;
          const inUse = await open();
          const { committed } = inUse.engine;
          return {
            ...rowObserver(tables, signal),
            committed: committed === undefined ? null : () => Promise.resolve(committed()),
            close: async () => await inUse[Symbol.asyncDispose](),
          };
        },
        async compact(into) {
          await using inUse = await open();
          const { engine } = inUse;
          if (engine.compact === undefined) return false;
          await engine.compact(into);
          return true;
        },
      };
    },
  });
}

/** A connector with this route alone. */
export function engineConnector(system: EngineSystem): Connector {
  const { name, fairProfile } = system;
  return defineConnector({ system: name, fairProfile, routes: { embedded: engineRoute(system) } });
}
