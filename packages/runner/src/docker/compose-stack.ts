import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { inheritedEnvironment } from '../options/env.ts';
import { badOption, hasCode } from '@fair-bench/contract';

/** The stack for fair mode, and the one that it extends. */
const fairFile = 'docker-compose-fair.yml';
const baseFile = 'docker-compose.yml';
const systemLabel = 'fair-bench.system';
const urlLabel = 'fair-bench.url';
const askTimeoutMs = 30_000;
/** Images are downloaded at the first start. */
const startTimeoutMs = 900_000;
const stopTimeoutMs = 60_000;
const outputBytesMax = 16 * 2 ** 20;
const accepts = 'docker where it can start databases';

/** Databases in containers that belong to this run. */
export interface ComposeStack {
  /** The URL of each system, with its password. */
  readonly urls: readonly { readonly system: string; readonly url: string }[];
  /** Removes the containers and their data. Rejects when that fails. */
  close(): Promise<void>;
}

interface ComposeInput {
  readonly root: string;
  /** The systems to start; those missing from the stack are left to the other providers. */
  readonly systems: ReadonlySet<string>;
  /** Prefix of this run's containers. */
  readonly id: string;
}

const configSchema = z.object({
  services: z.record(z.string(), z.object({ labels: z.record(z.string(), z.string()).default({}) })),
});

/**
 * Starts the services of the fair stack that are labelled with these systems, and waits until they are healthy.
 * Passwords that the stack needs and the environment lacks are generated for this run. An InputError says why Docker
 * cannot do it; then nothing is left running.
 */
export async function startComposeStack({ root, systems, id }: ComposeInput): Promise<ComposeStack> {
  const environment = { ...(await madePasswords(root)), ...inheritedEnvironment() };
  const words = [
    'compose',
    '--project-name',
    `fair-bench-${id.toLowerCase()}`,
    '--file',
    join(root, fairFile),
  ];
  const docker = async (timeout: number, ...more: readonly string[]): Promise<string> =>
    await runDocker([...words, ...more], environment, timeout);
  await demandEngine(environment);
  const services = await servicesOf(
    async () => await docker(askTimeoutMs, '--profile', '*', 'config', '--format', 'json'),
  );
  const wanted = services.filter(({ system }) => systems.has(system));
  if (wanted.length === 0) {
    const known = services.map(({ system }) => system).join(', ');
    throw badOption(
      'provider',
      'docker',
      `${accepts}; ${fairFile} has ${known}, and this run uses none of them`,
    );
  }
  const close = async (): Promise<void> => {
    await docker(stopTimeoutMs, '--profile', '*', 'down', '--volumes', '--timeout', '5');
  };
  try {
    await docker(startTimeoutMs, 'up', '--detach', '--wait', ...wanted.map(({ name }) => name));
  } catch (cause) {
    await close().catch(() => {
      // What did not start may not stop either; report the first failure.
    });
    throw badOption('provider', 'docker', `${accepts}; ${reasonOf(cause)}`, { cause });
  }
  return { urls: wanted.map(({ system, url }) => ({ system, url })), close };
}

interface StackService {
  readonly name: string;
  readonly system: string;
  readonly url: string;
}

async function servicesOf(readConfig: () => Promise<string>): Promise<readonly StackService[]> {
  let text: string;
  try {
    text = await readConfig();
  } catch (cause) {
    throw badOption('provider', 'docker', `${accepts}; Compose cannot read ${fairFile}: ${reasonOf(cause)}`, {
      cause,
    });
  }
  const { services } = configSchema.parse(JSON.parse(text));
  return Object.entries(services).flatMap(([name, { labels }]) => {
    const system = labels[systemLabel];
    const url = labels[urlLabel];
    return system === undefined || url === undefined ? [] : [{ name, system, url }];
  });
}

async function demandEngine(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    await runDocker(['version', '--format', '{{.Server.Version}}'], environment, askTimeoutMs);
  } catch (cause) {
    const remedy = 'install Docker with Compose and start it, or leave --provider out';
    throw badOption('provider', 'docker', `${accepts}; ${reasonOf(cause)}; ${remedy}`, { cause });
  }
}

/** A new password for every variable that the stack requires. */
async function madePasswords(root: string): Promise<Record<string, string>> {
  const text = await readFile(join(root, baseFile), 'utf8');
  const names = [...text.matchAll(/\$\{([A-Z_]+):\?/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, randomBytes(16).toString('hex')]));
}

async function runDocker(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  timeout: number,
): Promise<string> {
  const options = { env: environment, timeout, maxBuffer: outputBytesMax };
  const { stdout } = await promisify(execFile)('docker', words, options);
  return stdout;
}

/** Docker's last output, without its arguments, which may contain a password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (hasCode(error, 'ENOENT')) return 'docker is not installed';
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return stderr === '' ? 'docker gave no reason' : (stderr.split('\n').at(-1) ?? stderr);
}
