import { firstIssue } from '@fair-bench/contract';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Announcement, announcementSchema, subjects } from './messages.ts';

/** An agent that does not answer within this is absent. */
const answerMsMax = 1500;
const stallMs = 400;

/** An agent that cannot be understood, however long one waits. */
export class OtherVersion extends Error {}

/** All agents that answer, by their names. */
export async function announcementsOf(nats: NatsConnection): Promise<Announcement[]> {
  const announcements: Announcement[] = [];
  const wait = { strategy: 'stall', maxWait: answerMsMax, stall: stallMs } as const;
  try {
    for await (const reply of await nats.requestMany(subjects.hello, '', wait)) {
      announcements.push(announcementOf(reply));
    }
  } catch (error) {
    if (!isUnheard(error)) throw error;
  }
  return announcements.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Rejects an agent by its name when it says other things of itself than this version reads. */
function announcementOf(reply: Msg): Announcement {
  const parsed = announcementSchema.safeParse(reply.json());
  if (parsed.success) return parsed.data;
  const { name } = z
    .object({ name: z.string().catch('without a name') })
    .catch({ name: 'without a name' })
    .parse(reply.json());
  throw new OtherVersion(
    `load agent ${name}: it is of another version of Fair Bench (${firstIssue(parsed.error)}); check out the same commit on both`,
  );
}

/** The server says that nobody listens to a request. */
export function isUnheard(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof Error && isUnheard(error.cause));
}
