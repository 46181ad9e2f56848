// Formats, lints and builds the native load client if the Rust toolchain is installed, or with the word `test` runs its
// tests; otherwise reports that and passes: everything except optimized mode works without it.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const test = ['test', '--workspace', '--release', '--locked', '--quiet'];
const steps = [
  ['fmt', '--all', '--check'],
  // First what builds the client, for which tests of ours wait that run at the same time.
  [...test, '--no-run'],
  ['clippy', '--workspace', '--all-targets', '--release', '--locked', '--quiet', '--', '-D', 'warnings'],
];
// Checks its dependencies without a network; CI checks advisories as well.
const denyStep = ['deny', 'check', 'bans', 'licenses', 'sources'];

if (!has('--version')) {
  if (!isTest()) say('native load client: not checked, cargo is not on PATH; install Rust to check it');
  process.exit(0);
}
if (isTest()) run([test]);
else {
  const hasDeny = has('deny', '--version');
  if (!hasDeny) say('native load client: its crates are not checked; cargo install cargo-deny --locked');
  run(hasDeny ? [...steps, denyStep] : steps);
}

function isTest() {
  return process.argv[2] === 'test';
}

function run(all) {
  for (const step of all) {
    say(`native load client: cargo ${step[0]}${step.at(-1) === '--no-run' ? ', build' : ''}`);
    const { status, error } = spawnSync('cargo', step, { cwd: root, stdio: 'inherit' });
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
