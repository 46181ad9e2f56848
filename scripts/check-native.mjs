// Formats, lints and tests the native load client where the Rust toolchain is; elsewhere says so and passes:
// everything but optimized mode works without it.
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const steps = [
  ['fmt', '--all', '--check'],
  ['clippy', '--workspace', '--all-targets', '--locked', '--quiet', '--', '-D', 'warnings'],
  ['test', '--workspace', '--locked', '--quiet'],
];

if (spawnSync('cargo', ['--version'], { stdio: 'ignore' }).status !== 0) {
  say('native load client: not checked, cargo is not on PATH; install Rust to check it');
  process.exit(0);
}
for (const step of steps) {
  say(`native load client: cargo ${step[0]}`);
  const { status, error } = spawnSync('cargo', step, { cwd: root, stdio: 'inherit' });
  if (error !== undefined) say(`native load client: cargo could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function say(line) {
  process.stderr.write(`fair-bench: ${line}\n`);
}
