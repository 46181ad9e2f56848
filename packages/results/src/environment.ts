import { countSchema, nameSchema, targetNameSchema } from '@fair-bench/contract';
import { z } from 'zod';

/** The network distance of a user's target: its latency cannot be less. */
const roundTripSchema = z.strictObject({
  target: targetNameSchema,
  /** The least time of `samples` TCP handshakes, milliseconds. */
  tcpConnectMsMin: z.number().min(0),
  samples: z.int().min(1),
  /** Whether it is on another machine, as far as its address says. */
  remote: z.literal(true).optional(),
  /** How long a statement that reads no table takes, as `SELECT 1`, one after the other on an open connection, milliseconds. */
  statementMs: z.strictObject({ p50: z.number(), p99: z.number(), samples: z.int().min(1) }).optional(),
});
export type RoundTrip = z.infer<typeof roundTripSchema>;

/** A machine that sends load, as its load agent announces it. */
export const loadMachineSchema = z.strictObject({
  name: nameSchema,
  host: z.string(),
  cores: countSchema,
  memoryBytes: countSchema,
  runtime: z.string(),
  version: z.string(),
  /** Hashes of each load client's sources; null where it is unavailable. */
  builds: z.strictObject({ node: z.string().nullable(), native: z.string().nullable() }),
});
export type LoadMachine = z.infer<typeof loadMachineSchema>;

/** The machine and the software at the start of the run. */
export const environmentSchema = z.strictObject({
  cpu: z.strictObject({ model: z.string(), cores: countSchema }),
  memoryBytes: countSchema,
  os: z.strictObject({ platform: z.string(), kernel: z.string(), architecture: z.string() }),
  runtime: z.string(),
  fileSystem: z.strictObject({ type: z.string(), directory: z.string() }),
  /** Fsyncs per second that one writer reached in the data directory; null when it was not measured. */
  fsyncPerSecond: z.number().nullable(),
  /** For targets that the user named by URL; otherwise absent. */
  roundTrips: z.array(roundTripSchema).optional(),
  /** The processors of load clients and servers, in words, or why they were not separated. */
  pinning: z.string(),
  /** For a run whose load came from other machines. */
  loadAgents: z.array(loadMachineSchema).optional(),
  git: z.strictObject({ commit: z.string(), dirty: z.boolean() }).nullable(),
  /** SHA-256 of pnpm-lock.yaml, hexadecimal; null outside a checkout. */
  lockfileSha256: z.string().nullable(),
});
export type Environment = z.infer<typeof environmentSchema>;
