import { statementProtocolSchema } from '@fair-bench/contract';
import { type Check, pass, fail } from '../evidence.ts';

/**
 * Calls must reach the database by the protocol that is stated: a simple query costs the server a parse and a plan that a
 * prepared call saves, and some poolers can only pass the one on. The server itself says what it was sent.
 */
export const checkStatementProtocol: Check = ({
  factsBefore: { statementProtocol: stated },
  observed: { protocols },
}) => {
  if (stated === undefined || protocols === null) return pass;
  const seen = statementProtocolSchema.options.filter((protocol) => protocols[protocol] > 0);
  const others = seen.filter((protocol) => protocol !== stated);
  if (others.length === 0) return pass;
  return fail(
    'statement-protocol',
    `calls are stated to be ${stated}; the server's sample has ${seen.map((protocol) => `${protocols[protocol]} ${protocol}`).join(' and ')} calls`,
    'the session, or a pooler before the server, sends another protocol than its target is set to',
  );
};
