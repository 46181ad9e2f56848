# The package with its embedded databases (the default): `docker build --tag fair-bench .`, docs/in-your-repository.md.
# Our parts besides: the application servers (`--target rpc-server`) and the suite as a clone has it (`--target runner`).
FROM node:26.10.0-bookworm-slim AS packages
WORKDIR /fair-bench
# Git tells the runner which commit it measures.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git ca-certificates \
  && rm -rf /var/lib/apt/lists/*
COPY --chown=node:node . .
RUN chown node:node . && mkdir /results && chown node:node /results
USER node
# The pinned package manager installs what the lockfile names, as `npm run` does on a fresh clone.
RUN npm run --silent list > /dev/null

FROM packages AS rpc-server
EXPOSE 4100
ENTRYPOINT ["node"]
CMD ["rpc-servers/postgres-storedproc/src/main.ts"]

FROM packages AS runner
VOLUME /results
ENTRYPOINT ["node", "scripts/run.mjs"]
CMD ["list"]

FROM packages AS pack
RUN npm run --silent pack

FROM node:26.10.0-bookworm-slim AS fair-bench
COPY --from=pack /fair-bench/dist/*.tgz /tmp/fair-bench.tgz
# Where a mounted workload finds what it imports.
RUN npm install --prefix / --no-audit --no-fund /tmp/fair-bench.tgz && npm cache clean --force
# PostgreSQL refuses root, and what is written into a mounted folder is a user's.
USER node
WORKDIR /bench
ENTRYPOINT ["/node_modules/.bin/fair-bench"]
