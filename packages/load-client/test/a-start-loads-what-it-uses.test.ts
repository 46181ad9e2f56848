import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { loadClientArguments } from '../src/index.ts';
import { expect, test } from 'vitest';

/** Prints the address of each module that the process loads, one in a line. */
const printModules = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process.stderr.write(url + '\\n'); return next(url, context); } });
`)}`;

/** The modules that a process of Node.js has loaded when its input ends. */
async function modulesOf(parameters: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--import', printModules, ...parameters], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(child, 'close');
  return text.split('\n').filter((line) => line.startsWith('file:'));
}

/** Each trial pays for them. */
test('a load client starts without the replay, the isolation checker and the HTTP library of others', async () => {
  const modules = await modulesOf(loadClientArguments);
  expect(modules).toContainEqual(expect.stringContaining('/load-client/src/run-load.ts'));
  expect(modules.filter((url) => /\/isolation\/|\/replay-outcomes|\/undici\//.test(url))).toEqual([]);
  // 99 when this was written; with all of packages/workload and packages/results it would be 207.
  const own = modules.filter((url) => !url.includes('/node_modules/'));
  expect(own.length).toBeLessThanOrEqual(110);
});

/** A client module is loaded before any session, and the library with the first session of HTTP. */
test.each([
  ['a client module', 'packages/connector-sqlite/src/client.ts', '/session/src/undici-session.ts'],
  ['an application server', 'rpc-servers/sqlite-drizzle/src/main.ts', '/fastify/'],
])('%s starts without the HTTP library of sessions', async (_, path, part) => {
  const modules = await modulesOf([fileURLToPath(new URL(`../../../${path}`, import.meta.url))]);
  expect(modules).toContainEqual(expect.stringContaining(part));
  expect(modules.filter((url) => url.includes('/undici/'))).toEqual([]);
});
