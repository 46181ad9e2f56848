// Runs one task of the project, after setting up what is missing: the only file that runs on any Node.js of the
// machine and needs no package. Everything else runs on the pinned runtime, so that everyone measures with the same
// client.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, hostNodeMajorMin, majorOf, pinnedNode, run as runOn, say } from './runtime.mjs';

const pnpmVersion = '12.21.0';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampPath = join(root, 'node_modules', '.fair-bench-stamp');
/** The cache of stripped and compiled modules, so that load clients start faster. */
const compileCache = join(root, 'node_modules', '.cache', 'compiled');
/** Exists while checks run beside the tests: `scripts/wait-for-checks.mjs` waits for its end. */
const checksFile = join(tmpdir(), `fair-bench-checks-${process.pid}`);

const runner = 'packages/runner/src/main.ts';
const tools = 'tools/main.ts';
const bin = (packageName, file) => join('node_modules', packageName, file);
const typecheck = [bin('typescript', 'bin/tsc'), '-p', '.'];
// Reports what the type checker does, by the same program that its rules with types need.
const lint = [bin('oxlint', 'bin/oxlint'), '--type-aware', '--type-check', '--deny-warnings'];
const arrows = [
  bin('dependency-cruiser', 'bin/dependency-cruiser.mjs'),
  '--config',
  '.dependency-cruiser.mjs',
  'packages',
  'rpc-servers',
  'tools',
  'workloads',
];
const prettier = bin('prettier', 'bin/prettier.cjs');
const formatted = [prettier, '--check', '--log-level', 'warn', '.'];
const vitest = [bin('vitest', 'vitest.mjs'), 'run'];
const checkNative = ['scripts/check-native.mjs'];
/** What `npm test` checks beside its tests, by what a failure is called: programs, one after the other. */
const checks = {
  'lint and types': [{ words: lint, isIdle: true }],
  'which package imports which': [{ words: arrows, isIdle: true }],
  'npm run format': [{ words: formatted, isIdle: true }],
  // Tests wait for what it builds, and it must not wait for a processor longer than those beside it.
  'native programs': [
    { words: [...checkNative, 'build'], isIdle: false },
    { words: [...checkNative, 'test'], isIdle: false },
    { words: checkNative, isIdle: true },
  ],
};

/** What each task runs on the pinned runtime, several programs at once; the last gets the user's arguments. */
const tasks = {
  typecheck: [typecheck],
  lint: [lint, arrows, formatted],
  format: [[prettier, '--write', '--log-level', 'warn', '.']],
  test: [vitest],
  'test:all': [vitest],
  'test:only': [vitest],
};
/**
 * Tests build the native load client in a folder of their own, once for cargo's tests and for ours: compiled in half the
 * time, with the checks of a debug build.
 */
const testEnvironment = {
  CARGO_TARGET_DIR: join(root, 'target', 'tests'),
  CARGO_PROFILE_RELEASE_CODEGEN_UNITS: '16',
  CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS: 'true',
  CARGO_PROFILE_RELEASE_LTO: 'off',
  CARGO_PROFILE_RELEASE_OPT_LEVEL: '0',
  CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS: 'true',
};

for (const command of [
  'fair-bench',
  'bench',
  'explain',
  'report',
  'compare',
  'history',
  'kill-test',
  'soak',
  'list',
  'doctor',
  'new-connector',
  'new-workload',
  'init',
]) {
  tasks[command] = [[runner, command]];
}

for (const command of ['bench:self', 'bench:aa', 'bench:crosscheck', 'docs:refresh', 'gallery', 'pack'])
  tasks[command] = [[tools, command]];
tasks['load-agent'] = [['packages/load-agent/src/main.ts']];

// npm removes the `--` before a task's own arguments; a direct call of this file may keep it.
const [requestedTask, ...given] = process.argv.slice(2);
await main(requestedTask, given[0] === '--' ? given.slice(1) : given);

async function main(task, userArguments) {
  const programs = tasks[task];
  if (programs === undefined) fail(`unknown task "${task}": one of ${Object.keys(tasks).join(', ')}`);
  checkHostNode();
  if (readStamp() !== fingerprint()) install({ frozen: existsSync(join(root, 'pnpm-lock.yaml')) });
  if (task === 'test:only') checkPaths(userArguments);
  const node = nodeOfClone();
  const environment = task.startsWith('test') ? { ...testEnvironment } : {};
  // Where tests differ only in the workload or in the sample, some of them.
  if (task === 'test') environment.TESTS_OF_A_KIND = 'some';
  const checked = task === 'test' || task === 'test:all' ? checkBesideTests(node, environment) : null;
  if (checked !== null) environment.CHECKS_BESIDE_TESTS = checksFile;
  const all = [...programs.slice(0, -1), [...programs.at(-1), ...userArguments]];
  const codes = await Promise.all(all.map((words) => run(node, words, environment)));
  const failures = (await checked) ?? [];
  for (const what of failures) say(`failed: ${what}; its output is above`);
  const failed = codes.find((code) => code !== 0) ?? (failures.length > 0 ? 1 : undefined);
  if (failed !== undefined) process.exit(failed);
  // A new package changes the lockfile, the only thing outside of its folder that it changes.
  if (task === 'new-connector' && readStamp() !== fingerprint()) install({ frozen: false });
}

/**
 * Checks all but the tests, mostly in the time that the tests leave idle, which wait for servers, disks and windows; tests that run
 * alone wait for the end of these checks. Every check runs, and shows its output when it ends. Resolves with what failed.
 */
async function checkBesideTests(node, environment) {
  writeFileSync(checksFile, '');
  const failed = Object.entries(checks).map(async ([what, programs]) => {
    for (const { words, isIdle } of programs) {
      if ((await run(node, words, environment, { isBeside: true, isIdle })) !== 0) return [what];
    }
    return [];
  });
  try {
    return (await Promise.all(failed)).flat();
  } finally {
    rmSync(checksFile, { force: true });
  }
}

/** Words that are no options and no values of one select the files whose paths contain them: each must select one. */
function checkPaths(words) {
  const folders = ['packages', 'rpc-servers', 'workloads'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const tests = [...folders, 'tools']
    .map((folder) => join(root, folder, 'test'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => file.endsWith('.test.ts'));
  for (const [index, word] of words.entries()) {
    const isValue = word.startsWith('-') || words[index - 1]?.startsWith('-');
    const path = word.replace(/:\d+$/, '').replace(/^\.\//, '');
    if (!isValue && !tests.some((file) => file.includes(path)))
      fail(`no test in "${word}": tests are files like packages/runner/test/docs-are-true.test.ts`);
  }
}

function checkHostNode() {
  if (majorOf(process.versions.node) < hostNodeMajorMin) {
    fail(`Node.js ${process.versions.node} is too old: install Node.js ${hostNodeMajorMin} or newer`);
  }
}

/** Everything that determines an installation's content. */
function fingerprint() {
  const hash = createHash('sha256').update(`pnpm ${pnpmVersion} ${process.platform}-${process.arch}\n`);
  const manifests = ['packages', 'rpc-servers'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, 'package.json')),
  );
  for (const file of [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    'workloads/package.json',
    'tools/package.json',
    ...manifests.toSorted((a, b) => (a < b ? -1 : 1)),
  ]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function readStamp() {
  return existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : null;
}

function install({ frozen }) {
  say(`setting up: pnpm ${pnpmVersion} installs the locked packages and the pinned Node.js runtime`);
  const command = ['exec', '--yes', `--package=pnpm@${pnpmVersion}`, '--', 'pnpm', 'install'];
  const lockfile = frozen ? '--frozen-lockfile' : '--no-frozen-lockfile';
  const result = spawnSync('npm', [...command, lockfile, '--reporter=append-only'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    // A silent `npm run` would also silence this npm, with the reason of a failure.
    env: { ...process.env, CI: 'true', npm_config_loglevel: 'error' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error) fail(`npm could not be started (${result.error.message}): install npm beside Node.js`);
  if (result.status !== 0) fail(explainInstallFailure(`${result.stdout}\n${result.stderr}`));
  try {
    writeFileSync(stampPath, fingerprint());
  } catch (error) {
    fail(`cannot write ${stampPath} (${error.message}): give yourself write permission there`);
  }
  say(`set up: ${countPackages(result.stdout)}Node.js ${versionOf(nodeOfClone())}`);
}

function countPackages(output) {
  const added = /added (\d+), done/.exec(output);
  return added ? `${added[1]} packages, ` : '';
}

function explainInstallFailure(output) {
  const tail = output.trim().split('\n').slice(-12).join('\n');
  // Messages are wrapped at any space.
  const text = output.replace(/[\s│]+/g, ' ');
  if (/EACCES|EPERM|EROFS|permission denied|read-only/i.test(text)) {
    return `cannot write here: a permission is missing in ${root} or in the npm cache; fix it and run again\n${tail}`;
  }
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|dns error|fetch failed/i.test(text)
  ) {
    return `the package registry was not reached: check the network or proxy settings and run again\n${tail}`;
  }
  if (/OUTDATED_LOCKFILE/i.test(text)) {
    return `pnpm-lock.yaml does not fit the package.json files: run "npx pnpm@${pnpmVersion} install" and commit it\n${tail}`;
  }
  return `the installation failed\n${tail}`;
}

function nodeOfClone() {
  return pinnedNode((packageName) => {
    const path = join(root, 'node_modules', packageName, 'bin', 'node');
    return existsSync(path) ? path : null;
  });
}

function versionOf(node) {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
}

function run(node, words, environment, how = {}) {
  return runOn(node, words, { NODE_COMPILE_CACHE: compileCache, ...environment }, { cwd: root, ...how });
}
