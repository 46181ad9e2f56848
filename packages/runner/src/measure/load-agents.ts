import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InputError, messageOf, typedCommand } from '@fair-bench/contract';
import {
  type Announcement,
  announcementsOf,
  bucketOf,
  buildsOf,
  connectNats,
  OtherVersion,
} from '@fair-bench/load-agent';
import { Objm } from '@nats-io/obj';
import type { LoadMachine, TrialPlan, TrialResult } from '@fair-bench/results';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LoadAgentsSetting, WantedAgents } from '../options/load-agents.ts';
import { allowedMs, type LoadClientSource, type TrialEvents } from './load-client-process.ts';
import { AgentLink } from './agent-link.ts';
import { ConnectionLost, CoordinatedTrial } from './coordinated-trial.ts';

/** How long a trial waits for NATS, and for lost agents, before it is void. */
const returnMsMax = 20_000;
const objectsLiveNs = 3600 * 1e9;

/** Refuses settings with which no trial could be measured; nothing is started or claimed. */
export async function checkLoadAgents(
  { access, wanted }: LoadAgentsSetting,
  root: string,
  sessionsMin: number,
): Promise<void> {
  const nats = await connectNats(access, { name: 'fair-bench' });
  try {
    const agents = chosen(await announcementsOf(nats), wanted, null);
    const refusal = otherBuild(agents, await buildsOf(root));
    if (refusal !== null) throw new Error(refusal);
    if (agents.length > sessionsMin)
      throw new Error(`${sessionsMin} sessions are fewer than ${agents.length} agents; use more --sessions`);
  } catch (cause) {
    throw new InputError(`--load-agents: ${messageOf(cause)}`, { cause });
  } finally {
    await nats.close();
  }
}

/** The load agents of a run: together they carry each of its trials. */
export class LoadAgents {
  readonly #nats: NatsConnection;
  readonly #setting: LoadAgentsSetting;
  readonly #run: string;
  readonly #root: string;
  #links: readonly AgentLink[] = [];
  /** Aborted when the connection to NATS breaks; each connection has a new one. */
  #connection = new AbortController();

  private constructor(nats: NatsConnection, setting: LoadAgentsSetting, run: string, root: string) {
    this.#nats = nats;
    this.#setting = setting;
    this.#run = run;
    this.#root = root;
  }

  /** Null where none are wanted. */
  static async open(
    setting: LoadAgentsSetting | null,
    run: string,
    root: string,
  ): Promise<LoadAgents | null> {
    if (setting === null) return null;
    const nats = await connectNats(setting.access, { name: `fair-bench ${run}` });
    // Two runs may begin at one moment, on two machines.
    const agents = new LoadAgents(nats, setting, `${run}-${randomUUID().slice(0, 8)}`, root);
    void agents.#watch();
    return agents;
  }

  readonly source: LoadClientSource = () => ({
    run: async (plan, onEvent, signal) => await this.run(plan, onEvent, signal),
    // Each agent ends what it has started.
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  });

  /** The machines that load comes from; takes their agents for this run. */
  async machines(): Promise<readonly LoadMachine[]> {
    return (await this.#gather()).map(({ machine }) => machine);
  }

  /** Runs a trial by all agents. Rejects with the reason, and the name of the agent that is it. */
  async run(plan: TrialPlan, onEvent: TrialEvents, signal: AbortSignal): Promise<TrialResult> {
    await this.#connected();
    const links = await this.#gather();
    const remote = links.find(({ pidHere }) => pidHere === null);
    if (remote !== undefined && isOfOneMachine(plan.endpoint.url))
      throw new Error(
        `load agent ${remote.name}: the target's address is one of its own machine, ${remote.machine.host}; name the target by --url with an address that every machine reaches`,
      );
    const bucket = bucketOf(this.#run);
    const store = await new Objm(this.#nats)
      .create(bucket, { ttl: objectsLiveNs })
      .catch((cause: unknown) => {
        throw new Error(
          `NATS: no object store: ${messageOf(cause)}; start nats-server with JetStream (-js)`,
          { cause },
        );
      });
    const lost = AbortSignal.any([this.#connection.signal, ...links.map((link) => link.lost)]);
    const endsMs = performance.now() + allowedMs(plan);
    try {
      return await new CoordinatedTrial({
        plan,
        links,
        store,
        bucket,
        root: this.#root,
        lost,
        onEvent,
        signal,
      }).run();
    } catch (error) {
      await this.#waitUntilIdle(links, endsMs, signal);
      throw error;
    }
  }

  /**
   * Waits until silent agents answer again and releases them, so that no load of this trial runs into the next one; at
   * most until the trial would have ended.
   */
  async #waitUntilIdle(links: readonly AgentLink[], endsMs: number, signal: AbortSignal): Promise<void> {
    let unresponsive = links.filter(({ isSilent }) => isSilent);
    while (unresponsive.length > 0 && performance.now() < endsMs && !signal.aborted) {
      const heard = await announcementsOf(this.#nats).catch(() => []);
      const back = unresponsive.filter((link) => heard.some(({ instance }) => instance === link.instance));
      await Promise.all(back.map(async (link) => link.release()));
      unresponsive = unresponsive.filter((link) => !back.includes(link));
      if (unresponsive.length > 0) await sleep(500);
    }
  }

  /** Frees the agents; leaves nothing of the run on the server. */
  async close(): Promise<void> {
    await Promise.all(this.#links.map(async (link) => link.release()));
    // Without a connection the server's own limit removes what is left.
    if (!this.#connection.signal.aborted) {
      await new Objm(this.#nats)
        .open(bucketOf(this.#run))
        .then((store) => store.destroy())
        .catch(() => undefined);
    }
    await this.#nats.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#nats.status()) {
      if (type === 'disconnect' || type === 'staleConnection') {
        const { url } = this.#setting.access;
        this.#connection.abort(new ConnectionLost(url));
      }
      if (type === 'reconnect') this.#connection = new AbortController();
    }
  }

  async #connected(): Promise<void> {
    const deadlineMs = performance.now() + returnMsMax;
    while (this.#connection.signal.aborted && performance.now() < deadlineMs) await sleep(100);
    if (!this.#connection.signal.aborted) return;
    throw new Error(`NATS at ${this.#setting.access.url} does not answer; start it again`);
  }

  /** The agents of the next trial: those of the last one, with replacements for lost ones. */
  async #gather(): Promise<readonly AgentLink[]> {
    const builds = await buildsOf(this.#root);
    const deadlineMs = performance.now() + returnMsMax;
    let refusal: string | null = null;
    while (refusal === null) {
      try {
        const agents = chosen(await announcementsOf(this.#nats), this.#setting.wanted, this.#run);
        refusal = otherBuild(agents, builds);
        if (refusal === null) return await this.#claim(agents);
      } catch (error) {
        if (error instanceof OtherVersion || performance.now() >= deadlineMs) throw error;
        await sleep(500);
      }
    }
    throw new Error(refusal);
  }

  async #claim(announcements: readonly Announcement[]): Promise<readonly AgentLink[]> {
    const kept = this.#links.filter(
      (link) =>
        !link.lost.aborted && announcements.some((one) => one.name === link.name && one.run === this.#run),
    );
    const missing = announcements.filter(({ name }) => kept.every((link) => link.name !== name));
    for (const link of this.#links) if (!kept.includes(link)) await link.release();
    this.#links = kept;
    for (const one of missing)
      this.#links = [...this.#links, await AgentLink.claim(this.#nats, this.#run, one)];
    return announcements.flatMap(({ name }) => this.#links.find((link) => link.name === name) ?? []);
  }
}

/** An address that means another machine wherever it is used. */
function isOfOneMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname === '' || hostname === 'localhost' || /^127\.|^\[::1\]$/.test(hostname);
}

/** The wanted agents. Throws an error that names the missing ones. */
function chosen(
  found: readonly Announcement[],
  wanted: WantedAgents,
  run: string | null,
): readonly Announcement[] {
  const twice = found.find((one, place) => found.findIndex(({ name }) => name === one.name) !== place);
  if (twice !== undefined)
    throw new Error(`two load agents are called ${twice.name}; end one, or give it another --name`);
  const free = found.filter((one) => one.run === null || one.run === run);
  const taken =
    wanted.kind === 'count'
      ? free.slice(0, wanted.count)
      : free.filter(({ name }) => wanted.names.includes(name));
  const needed = wanted.kind === 'count' ? wanted.count : wanted.names.length;
  if (taken.length < needed) {
    const who = found.map(({ name, run: works }) =>
      works === null || works === run ? name : `${name} (busy)`,
    );
    const missing =
      wanted.kind === 'count'
        ? ''
        : `; missing: ${wanted.names.filter((name) => taken.every((one) => one.name !== name)).join(', ')}`;
    throw new Error(
      `${taken.length} of ${needed} load agents are available: ${who.join(', ') || 'none'}${missing}; start them by ${typedCommand('load-agent')}`,
    );
  }
  return taken;
}

/** Names an agent whose load client is another build; null without one. */
function otherBuild(
  agents: readonly Announcement[],
  builds: Awaited<ReturnType<typeof buildsOf>>,
): string | null {
  for (const { name, builds: theirs } of agents) {
    for (const client of ['node', 'native'] as const) {
      if (theirs[client] === null || theirs[client] === builds[client]) continue;
      return `load agent ${name}: its ${client} load client is build ${theirs[client]}, this is ${builds[client]}; check out the same commit on both`;
    }
  }
  return null;
}
