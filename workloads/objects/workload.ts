import {
  constant,
  defineWorkload,
  exists,
  fresh,
  insert,
  int64,
  integer,
  key,
  latest,
  missing,
  mixes,
  replied,
  returned,
  row,
  rowBy,
  scan,
  table,
  text,
  uniform,
} from '@fair-bench/workload';

/** New objects of the session before older ones. */
const code = key('version.code', latest());
const content = { name: text(24), payload: text('payloadSize') };
const given = { id: int64, recorded: int64 };
const version = insert('version', {
  code: 'code',
  valid_from: 'valid_from',
  id: returned('id'),
  recorded: returned('recorded'),
  name: 'name',
  payload: 'payload',
});

/**
 * The versions of an object begin at different moments (valid time); the server says when it recorded each (transaction time), and
 * none changes afterwards: what was known at a transaction time is what was recorded until then.
 */
export default defineWorkload({
  name: 'objects',
  about:
    'Writes objects, corrects them by further versions and reads them, also as they were known at an earlier time.',
  parameters: {
    objects: { type: 'integer', default: 1000, min: 1, max: 2 ** 32, about: 'objects at the beginning' },
    mix: {
      type: 'choice',
      default: 'mixed',
      options: ['mixed', 'write', 'read', 'read-all', 'read-back'],
      about:
        'mixed: all operations but the long read; write: new objects; read: by code; read-all: many in one query; read-back: new objects, which all reads find again',
    },
    objectsRead: {
      type: 'integer',
      default: 1000,
      min: 1,
      max: 65_536,
      about: 'most versions that a long read returns',
    },
    payloadSize: {
      type: 'integer',
      default: 100,
      min: 1,
      max: 16_384,
      about: 'characters of an object’s payload',
    },
    moments: {
      type: 'integer',
      default: 50,
      min: 1,
      max: 2 ** 31,
      about: 'moments at which corrections begin',
    },
  },
  tables: {
    version: table({
      rows: ['objects', 1],
      key: ['code', 'valid_from'],
      columns: { id: int64(-1), recorded: int64(0), ...content },
      indexes: ['id', 'name'],
    }),
  },
  weights: mixes('mix', {
    mixed: { write: 30, correct: 15, by_code: 25, by_id: 15, as_known_at: 15 },
    write: { write: 100 },
    read: { by_code: 100 },
    'read-all': { all: 100 },
    'read-back': { write: 80, by_code: 10, by_id: 8, all: 2 },
  }),
  operations: {
    correct: {
      arguments: { code, first: constant(0), valid_from: integer(uniform(1, 'moments')), ...content },
      rows: { first_version: row('version', ['code', 'first']), v: row('version', ['code', 'valid_from']) },
      declines: [
        ['unknown', missing('first_version')],
        ['duplicate', exists('v')],
      ],
      effects: [version],
      returns: given,
    },
    write: {
      arguments: { code: key('version.code', fresh()), valid_from: constant(0), ...content },
      effects: [version],
      returns: given,
    },
    by_code: {
      arguments: { code },
      returns: scan('version', { prefix: 'code', order: 'descending', limit: 1 }),
    },
    by_id: { arguments: { id: replied('id') }, returns: rowBy('version', 'id', 'id') },
    as_known_at: {
      arguments: { code, at: replied('recorded', { hold: 50 }) },
      returns: scan('version', {
        prefix: 'code',
        order: 'descending',
        limit: 1,
        until: ['recorded', 'at'],
      }),
    },
    all: {
      arguments: { code, limit: integer({ kind: 'constant', value: 'objectsRead' }) },
      returns: scan('version', { from: 'code', limit: 'limit' }),
    },
  },
  axes: {
    mix: { label: 'm', sweep: ['mixed'] },
    objects: { label: 'o', sweep: [1000] },
    payloadSize: { label: 'p', sweep: [100], factor: 'payload size' },
  },
});
