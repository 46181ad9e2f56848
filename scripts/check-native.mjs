// Checks the format of the native programs and lints them if the Rust toolchain is installed; with the word `build` or `test` builds
// them with their tests, or runs these. Otherwise it says so and passes: everything except optimized mode works without it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const word = process.argv[2];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lintTarget = join(root, 'target', 'lint');
const test = ['test', '--workspace', '--release', '--locked', '--quiet'];
/** What builds the client, for which tests of ours wait that run at the same time. */
const build = [...test, '--no-run'];
const steps = [
  ['fmt', '--all', '--check'],
  ['clippy', '--workspace', '--all-targets', '--release', '--locked', '--quiet', '--', '-D', 'warnings'],
];
// Checks its dependencies without a network; CI checks advisories as well.
const denyStep = ['deny', 'check', 'bans', 'licenses', 'sources'];

if (!has('--version')) {
  if (word === undefined)
    say('native load client: not checked, cargo is not on PATH; install Rust to check it');
  process.exit(0);
}
if (word === 'build') run([build]);
else if (word === 'test') run([test]);
else {
  const hasDeny = has('deny', '--version');
  if (!hasDeny) say('native load client: its crates are not checked; cargo install cargo-deny --locked');
  run(hasDeny ? [...steps, denyStep] : steps);
}

function run(all) {
  for (const step of all) {
    say(`native load client: cargo ${step[0]}${step.at(-1) === '--no-run' ? ', build' : ''}`);
    // A lock of what tests build would hold them up: a linter that runs in idle time has a folder of its own.
    const env =
      step === build || step === test ? process.env : { ...process.env, CARGO_TARGET_DIR: lintTarget };
    const { status, error } = spawnSync('cargo', step, { cwd: root, stdio: 'inherit', env });
    if (error !== undefined) say(`native load client: cargo could not be started: ${error.message}`);
    if (status !== 0) process.exit(status ?? 1);
  }
}

function has(...words) {
  return spawnSync('cargo', words, { stdio: 'ignore' }).status === 0;
}

function say(line) {
  process.stderr.write(`fair-bench: ${line}\n`);
}
