import { pathToFileURL } from 'node:url';
import type { ClientModule } from '@fair-bench/contract';
import { clientModuleOf } from '@fair-bench/load-client';

/** Imports a client module as the load client does. The error says what its default export must be. */
export async function importClient(modulePath: string): Promise<ClientModule> {
  const imported: unknown = await import(pathToFileURL(modulePath).href);
  const exported =
    typeof imported === 'object' && imported !== null ? Reflect.get(imported, 'default') : null;
  const client = clientModuleOf(exported);
  if (client !== null) return client;
  throw new Error(
    `${modulePath}: the default export is not a client module: export default defineClient({ connect })`,
  );
}
