import { readFileSync } from 'node:fs';
import { countSchema } from '@fair-bench/contract';
import {
  clientCommandSchema,
  clientEventSchema,
  hostConditionsSchema,
  loadMachineSchema,
  trialPlanSchema,
} from '@fair-bench/results';
import { z } from 'zod';

export type Builds = Announcement['builds'];

/** What an agent says of itself when a runner looks for agents. */
export const announcementSchema = loadMachineSchema.extend({
  /** Of this process: it distinguishes two agents of one name. */
  instance: z.string(),
  /** Of the machine since it was started: the same for all of its processes. */
  boot: z.string(),
  pid: countSchema,
  /** The run that it works for; null when it is free. */
  run: z.string().nullable(),
});
export type Announcement = z.infer<typeof announcementSchema>;

/** A runner's request for an agent. */
export const claimSchema = z.strictObject({ run: z.string() });

/** A trial's plan for one agent. `client.module` of a Node client is a path in the repository. */
export const deliverySchema = z.strictObject({
  /** Of this plan for this agent: it is executed once. */
  delivery: z.string(),
  /** The object store for the result. */
  bucket: z.string(),
  plan: trialPlanSchema,
});
export type Delivery = z.infer<typeof deliverySchema>;

/** A command for the load client of a delivery; `cancel` ends it without a result. */
export const orderSchema = z.strictObject({
  delivery: z.string(),
  command: z.union([clientCommandSchema, z.strictObject({ type: z.literal('cancel') })]),
});
export type Order = z.infer<typeof orderSchema>;

/** A message of a load client, without its result, which is in the object store. */
export const agentEventSchema = z.strictObject({
  delivery: z.string(),
  /** From 0: a missing number is a lost message. */
  number: countSchema,
  event: z.union([
    clientEventSchema,
    z.strictObject({
      type: z.literal('stored'),
      result: z.string(),
      log: z.string().nullable(),
      /** Its machine in the window; null where the system does not say. */
      host: hostConditionsSchema.nullable(),
    }),
  ]),
});
export type AgentEvent = z.infer<typeof agentEventSchema>;

/** The agent's monotonic clock, microseconds. */
export const clockReplySchema = z.strictObject({ us: z.number().min(0) });

/** An agent's answer to a claim, a plan or an order. */
export const answerSchema = z.discriminatedUnion('accepted', [
  z.strictObject({ accepted: z.literal(true) }),
  z.strictObject({ accepted: z.literal(false), reason: z.string() }),
]);
export type Answer = z.infer<typeof answerSchema>;

export type Verb = 'ping' | 'plan' | 'order' | 'release' | 'event';

/** Every subject begins with `fair-bench`, and all of a run with its id, so that an account can be limited to them. */
export const subjects = {
  hello: 'fair-bench.hello',
  claim: (instance: string): string => `fair-bench.agent.${instance}.claim`,
  /** `instance` is the agent's. */
  ofRun: (run: string, instance: string, verb: Verb): string =>
    `fair-bench.run.${token(run)}.${instance}.${verb}`,
};

/** The object store of a run. */
export function bucketOf(run: string): string {
  return `fair-bench-${token(run)}`;
}

/** A part of a subject has no dots and no spaces. */
function token(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '-');
}

export function encode(message: unknown): string {
  return JSON.stringify(message);
}

/** Reads a message; an error names the agent's or the runner's mistake by field. */
export function decode<T>(schema: z.ZodType<T>, message: { json(): unknown }): T {
  return schema.parse(message.json());
}

/** Of this machine since it was started; empty where the system does not say. */
export function bootOfMachine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Microseconds of the machine's monotonic clock. */
export function machineUs(): number {
  return Number(process.hrtime.bigint()) / 1000;
}
