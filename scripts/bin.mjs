#!/usr/bin/env node
// The command of the installed package, `npx fair-bench`: starts the runner on the pinned runtime, which is an optional dependency. Runs
// on any Node.js of the user's from 20 on.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, hostNodeMajorMin, majorOf, pinnedNode, run } from './runtime.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
/** The runner's own commands, and the agent of a machine that sends load. */
const agent = 'load-agent';
const [first, ...rest] = process.argv.slice(2);

if (majorOf(process.versions.node) < hostNodeMajorMin)
  fail(`Node.js ${process.versions.node} is too old: install Node.js ${hostNodeMajorMin} or newer`);
const node = pinnedNode((packageName) => {
  try {
    const path = join(dirname(require.resolve(`${packageName}/package.json`)), 'bin', 'node');
    return existsSync(path) ? path : null;
  } catch {
    // Optional dependencies were left out.
    return null;
  }
});
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const environment = { NODE_COMPILE_CACHE: join(cache, 'fair-bench', 'compiled') };
const program = (name) => join(root, 'packages', name, 'src', 'main.js');
process.exitCode = await run(
  node,
  first === agent ? [program(agent), ...rest] : [program('runner'), ...wordsOf(first, rest)],
  environment,
  { cwd: process.cwd() },
);

/** `npx fair-bench --systems …` is the run under equal terms: `npm run fair-bench -- --systems …` in a clone. */
function wordsOf(word, others) {
  if (word === undefined || ['--help', '-h'].includes(word)) return word === undefined ? [] : [word];
  return word.startsWith('-') ? ['fair-bench', word, ...others] : [word, ...others];
}
