// Formats, lints and tests the native load client if the Rust toolchain is installed; otherwise reports that and
// passes: everything except optimized mode works without it.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const steps = [
  ['fmt', '--all', '--check'],
  ['clippy', '--workspace', '--all-targets', '--release', '--locked', '--quiet', '--', '-D', 'warnings'],
  ['test', '--workspace', '--release', '--locked', '--quiet'],
];

// Checks its dependencies without a network; CI checks advisories as well.
const denyStep = ['deny', 'check', 'bans', 'licenses', 'sources'];

if (!has('--version')) {
  say('native load client: not checked, cargo is not on PATH; install Rust to check it');
  process.exit(0);
}
if (has('deny', '--version')) steps.push(denyStep);
else say('native load client: its crates are not checked; cargo install cargo-deny --locked');
for (const step of steps) {
  say(`native load client: cargo ${step[0]}`);
  const { status, error } = spawnSync('cargo', step, { cwd: root, stdio: 'inherit' });
  if (error !== undefined) say(`native load client: cargo could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function has(...words) {
  return spawnSync('cargo', words, { stdio: 'ignore' }).status === 0;
}

function say(line) {
  process.stderr.write(`fair-bench: ${line}\n`);
}
