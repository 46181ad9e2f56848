import {
  defineWorkload,
  insert,
  int64,
  key,
  less,
  operation,
  row,
  set,
  table,
  uniform,
} from '@fair-bench/workload';

/** Each seat can be booked once. */
export default defineWorkload({
  name: 'seats',
  about: 'Books seats; a seat that somebody holds is declined.',
  parameters: {
    seats: { type: 'integer', default: 100, min: 2, max: 2 ** 32, about: 'seats' },
  },
  tables: {
    seat: table({ rows: 'seats', key: 'id', columns: { holder: int64(0) } }),
    booking: table({ rows: 0, key: 'id', columns: { id: int64, seat: key } }),
  },
  operations: {
    book: {
      arguments: { id: operation(), seat: key('seat', uniform()), guest: int64(uniform(1, 1_000_000)) },
      rows: { s: row('seat', 'seat') },
      declines: [['held', less(0, 's.holder')]],
      effects: [set('s.holder', 'guest'), insert('booking', { id: 'id', seat: 'seat' })],
    },
  },
});
