export { LoadAgent } from './agent.ts';
export { buildsOf, clientModulesOf } from './builds.ts';
export { connectNats, type NatsAccess, natsUrl } from './connection.ts';
export { announcementsOf, isUnheard, OtherVersion } from './hello.ts';
export {
  agentEventSchema,
  type AgentEvent,
  type Announcement,
  type Answer,
  answerSchema,
  bootOfMachine,
  bucketOf,
  clockReplySchema,
  decode,
  type Delivery,
  encode,
  machineUs,
  type Order,
  subjects,
  type Verb,
} from './messages.ts';
