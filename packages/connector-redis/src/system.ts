import type { KeyValueSystem } from '@fair-bench/key-value';
import { connect } from './connection.ts';

/** What a write waits for, by https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/. */
const [log, flush] = ['appendonly', 'appendfsync'] as const;

export const system: KeyValueSystem = {
  name: 'redis',
  title: 'Redis',
  remedy:
    'install redis-server or valkey-server 7.0 or later, or name a server by --url redis=redis://USER:PASSWORD@HOST:PORT',
  majorMin: 7,
  connect,
  local: {
    programs: ['redis-server', 'valkey-server'],
    url: (port) => `redis://127.0.0.1:${port}`,
    settings: ({ durability }) => ({ [flush]: durability === 'durable' ? 'always' : 'everysec' }),
    launch: (_program, { directory, port }, settings) => ({
      arguments: Object.entries({
        port: String(port),
        bind: '127.0.0.1',
        dir: directory,
        // Its log has everything: a snapshot would be a second one.
        save: '',
        [log]: 'yes',
        ...settings,
      }).flatMap(([name, value]) => [`--${name}`, value]),
    }),
  },
  durabilityOf({ [log]: isLogged, [flush]: when }) {
    if (isLogged !== 'yes') return 'none';
    return when === 'always' ? 'durable' : 'async';
  },
  // One thread runs one function after the other.
  isolationOf: () => 'serializable',
  fairProfile: [
    { setting: log, accepted: ['yes'], reason: 'without the log nothing is on disk but an old snapshot' },
    {
      setting: flush,
      accepted: ['always'],
      acceptedAsync: ['everysec'],
      reason: 'any other value acknowledges a write before it is on disk',
    },
    {
      setting: 'maxmemory-policy',
      accepted: ['noeviction'],
      reason: 'any other policy removes rows when the memory is full',
    },
  ],
  faults: {
    // An error of the server begins with its code: `OOM command not allowed …`
    codeOf: (error) => (error instanceof Error ? (/^([A-Z]{2,}) /.exec(error.message)?.[1] ?? null) : null),
    refused: {
      BEYOND: 'invalid-request',
      PRESENT: 'server-error',
      STEP: 'internal',
      OOM: 'overloaded',
      READONLY: 'server-error',
      MISCONF: 'server-error',
    },
    rolledBack: () => false,
  },
  wireProtocol: 'resp',
};
