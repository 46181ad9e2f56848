export const noServer = 'no SpacetimeDB server was found on this machine';

/** The ways to get one. */
export const remedy =
  'name a server of 2.0 or later by --url spacetimedb=http://HOST:PORT; or have spacetime or spacetimedb-standalone ' +
  'on PATH, in FAIR_BENCH_SPACETIMEDB_BIN or in ~/.cache/fair-bench/bin; or start one by `POSTGRES_PASSWORD=any docker compose up spacetimedb` ' +
  'and name its URL';
