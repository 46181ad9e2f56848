// Targets of your own: copy this file to fair-bench.config.ts, or name it by `--config FILE`. Their names are
// used as all others are: `npm run list`, `npm run fair-bench -- --systems supabase,postgres-drizzle`.
// Secrets are not written here: each is named by the environment variable that has it.
import { defineConfig } from '@fair-bench/contract';

export default defineConfig({
  targets: {
    // A PostgreSQL that is hosted elsewhere, by its session pooler or directly.
    supabase: {
      connector: 'postgres-drizzle',
      system: 'Supabase',
      url: 'postgres://postgres@db.example.supabase.co:5432/postgres?sslmode=require',
      secrets: { password: { fromEnvironment: 'SUPABASE_PASSWORD' } },
      // Your plan's price: with it, reports have the cost of a million operations.
      price: { perHour: 0.08, currency: 'USD' },
    },
    // The whole URL as the vendor's page gives it, password and all, from one variable.
    neon: {
      connector: 'postgres-storedproc',
      system: 'Neon',
      url: { fromEnvironment: 'NEON_URL' },
    },
    planetscale: {
      connector: 'postgres-driver',
      system: 'PlanetScale',
      url: { fromEnvironment: 'PLANETSCALE_URL' },
    },
    // Another wire-compatible database; what it lacks is detected when it is reached.
    cockroachdb: {
      connector: 'postgres-drizzle[pool=16]',
      system: 'CockroachDB',
      url: 'postgres://root@127.0.0.1:26257/defaultdb?sslmode=disable',
    },
    // A cluster: `--fault kill` strikes the server that the URL leads to (docs/faults.md).
    patroni: {
      connector: 'postgres-driver',
      url: 'postgres://bench@10.0.0.10:5000/app',
      nodes: [
        {
          url: 'postgres://bench@10.0.0.11:5432/app',
          kill: 'ssh db-1 pkill -KILL -u postgres',
          restart: 'ssh db-1 systemctl start patroni',
        },
        {
          url: 'postgres://bench@10.0.0.12:5432/app',
          kill: 'ssh db-2 pkill -KILL -u postgres',
          restart: 'ssh db-2 systemctl start patroni',
        },
      ],
    },
    // Started here, with other settings than the rest of the run, as they are given to `--systems` too.
    'postgres-small-pool': { connector: 'postgres-storedproc[processes=1,pool=4]' },
  },
});
