import { decimal, defineWorkload, int64, key, nullable, nullValue } from '@fair-bench/workload';
import { seededBy, syllables, table, text, timestamp, uniform } from '@fair-bench/workload';

const parts = ['AN', 'BE', 'CO', 'DI', 'EL', 'FA', 'GU', 'HO', 'IR', 'JO'];
const nameOf = (n: number) => [100, 10, 1].map((power) => parts[Math.floor(n / power) % 10]).join('');
const columns = {
  name: seededBy(text(6), (at) => nameOf(at.key('id'))),
  points: decimal(12, 2),
  gold_since: nullable(timestamp(String(nullValue))),
  writes: int64(0),
};

export default defineWorkload({
  name: 'points',
  about: 'Adds to the points of a member, found by name; who has 500.00 is gold from then on.',
  parameters: { members: { type: 'integer', default: 1000, min: 2, max: 1000, about: 'members' } },
  tables: { member: table({ rows: 'members', key: 'id', columns, indexes: ['name'] }) },
  chains: { member: { table: 'member', counter: ['writes'] } },
  operations: {
    earn: {
      arguments: {
        name: syllables('member', parts, { digits: 3, a: 255, c: 7 }),
        amount: int64(uniform(1, 99_99)),
      },
      returns: { id: key, points: int64, writes: int64, gold_since: int64 },
      code: {
        writes: { member: 1 },
        does(tx, given, reply) {
          const [member] = tx.find('member', [], 'name', given.text('name'));
          if (member === undefined) throw new Error(`no member is called ${given.text('name')}`);
          const [id, writes, before] = [member.key('id'), member.int('writes'), member.value('gold_since')];
          const points = member.int('points') + given.int('amount');
          const turnsGold = points >= 500_00n && before === nullValue;
          // The time is the server's: the model does not know it, and the audit has it from the reply.
          const gold_since = turnsGold ? (reply?.[0]?.int('gold_since') ?? null) : before;
          tx.set('member', [id], { points, gold_since, writes: writes + 1n });
          return { id, points, writes, gold_since };
        },
        found(chains, _given, [row]) {
          if (row !== undefined) chains.wrote('member', [row.key('id')], Number(row.int('writes')));
        },
      },
    },
  },
});
