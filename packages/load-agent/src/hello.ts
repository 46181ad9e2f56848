import { errors, type NatsConnection } from '@nats-io/transport-node';
import { type Announcement, announcementSchema, decode, subjects } from './messages.ts';

/** Agents answer at once; one that does not within this is not there. */
const answerMsMax = 1500;
const stallMs = 400;

/** All agents that answer, by their names. */
export async function announcementsOf(nats: NatsConnection): Promise<Announcement[]> {
  const announcements: Announcement[] = [];
  const wait = { strategy: 'stall', maxWait: answerMsMax, stall: stallMs } as const;
  try {
    for await (const reply of await nats.requestMany(subjects.hello, '', wait)) {
      announcements.push(decode(announcementSchema, reply));
    }
  } catch (error) {
    if (!isUnheard(error)) throw error;
  }
  return announcements.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The server says that nobody listens to a request. */
export function isUnheard(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof Error && isUnheard(error.cause));
}
