import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { availableParallelism, hostname, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageOf } from '@fair-bench/contract';
import type { ClientEvent, HostConditions, Phase, TrialPlan } from '@fair-bench/results';
import {
  hostConditions,
  type HostReading,
  type MachineReading,
  readHost,
  readMachine,
  startTimeOf,
} from '@fair-bench/supervisor';
import { Objm } from '@nats-io/obj';
import { errors, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { LoadClientCommand } from '@fair-bench/load-client';
import { Assignment } from './assignment.ts';
import {
  type AgentEvent,
  type Announcement,
  type Answer,
  type Builds,
  claimSchema,
  decode,
  type Delivery,
  deliverySchema,
  encode,
  machineUs,
  orderSchema,
  subjects,
  type Verb,
} from './messages.ts';

/** After this long without a message the runner is gone, and its trial ends. */
const silenceMsMax = 10_000;
/** For the last words of an agent that ends. */
const goodbyeMsMax = 1000;
const folderPrefix = 'fair-bench-agent-';

interface AgentSetting {
  readonly root: string;
  readonly name: string;
  readonly version: string;
  /** Of its machine; see `bootOfMachine`. */
  readonly boot: string;
  readonly builds: Builds;
  /** The load clients of this machine; null if unavailable. Nothing else is ever started. */
  readonly programs: { readonly [client in keyof Builds]: LoadClientCommand | null };
  /** Paths in the repository; a plan with another module is refused. */
  readonly clientModules: ReadonlySet<string>;
  readonly say: (line: string) => void;
}

/** Executes the plans of one run at a time, only with the load clients of this machine. */
export class LoadAgent {
  readonly #nats: NatsConnection;
  readonly #setting: AgentSetting;
  readonly #instance = randomUUID();
  /** All plans so far: none is executed twice. */
  readonly #delivered = new Set<string>();
  /** The latest plan; null when the run is over. */
  #newest: string | null = null;
  readonly #folder = join(tmpdir(), `${folderPrefix}${process.pid}`);
  readonly #watch: NodeJS.Timeout;
  #run: string | null = null;
  #heardMs = 0;
  #subscriptions: Subscription[] = [];
  #current: { readonly delivery: string; readonly assignment: Assignment } | null = null;

  constructor(nats: NatsConnection, setting: AgentSetting) {
    this.#nats = nats;
    this.#setting = setting;
    this.#serve(subjects.hello, () => this.#announcement());
    this.#serve(subjects.claim(this.#instance), (message) => this.#claim(decode(claimSchema, message).run));
    this.#watch = setInterval(() => this.#checkRunner(), 1000);
  }

  /** Until the connection is closed. */
  async serve(): Promise<void> {
    for await (const { type } of this.#nats.status()) {
      if (type !== 'disconnect' && type !== 'staleConnection') continue;
      this.#release('it lost NATS; waiting for it');
    }
  }

  /** Ends what it started. */
  async close(): Promise<void> {
    clearInterval(this.#watch);
    const current = this.#current;
    this.#release('it was stopped; start it again');
    await current?.assignment.ended;
    await Promise.race([this.#nats.drain(), sleep(goodbyeMsMax, undefined, { ref: false })]).catch(
      () => undefined,
    );
    await this.#nats.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #announcement(): Announcement {
    const { name, builds, version, boot } = this.#setting;
    return {
      name,
      instance: this.#instance,
      host: hostname(),
      boot,
      pid: process.pid,
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      runtime: `node ${process.version}`,
      version,
      builds,
      run: this.#run,
    };
  }

  #claim(run: string): Answer {
    if (this.#run !== null && this.#run !== run) return refused(`it works for the run ${this.#run}`);
    this.#heardMs = performance.now();
    if (this.#run === run) return { accepted: true };
    this.#run = run;
    this.#setting.say(`works for the run ${run}`);
    // By instance, so that messages for an ended agent do not reach another one of the same name.
    const subject = (verb: Verb): string => subjects.ofRun(run, this.#instance, verb);
    this.#subscriptions = [
      this.#serve(subject('ping'), () => {
        this.#heardMs = performance.now();
        return { us: machineUs() };
      }),
      this.#serve(
        subject('plan'),
        async (message) => await this.#accept(run, decode(deliverySchema, message)),
      ),
      this.#serve(subject('order'), (message) => this.#order(message)),
      this.#serve(subject('release'), () => {
        this.#release('released');
        return { accepted: true };
      }),
    ];
    return { accepted: true };
  }

  async #accept(run: string, { delivery, bucket, plan }: Delivery): Promise<Answer> {
    if (this.#delivered.has(delivery)) return refused('this plan was delivered before');
    this.#delivered.add(delivery);
    const program = this.#program(plan);
    if (typeof program === 'string') return refused(program);
    this.#newest = delivery;
    // A run has one trial at a time: what is still at work here belongs to one that its runner gave up.
    this.#current?.assignment.kill('its runner gave the trial up');
    await this.#current?.assignment.ended;
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#newest !== delivery) return refused('the trial is over');
    const logPath = plan.logPath === null ? null : join(this.#folder, 'log');
    let number = 0;
    const publish = (event: AgentEvent['event']): void => {
      const message: AgentEvent = { delivery, number, event };
      number += 1;
      unlessClosed(() => this.#nats.publish(subjects.ofRun(run, this.#instance, 'event'), encode(message)));
    };
    const machine = new MachineInWindow();
    const onEvent = (event: ClientEvent): void => {
      if (event.type !== 'result') publish(event);
      if (event.type === 'phase') machine.phase(event.phase);
      if (event.type !== 'result') return;
      const host = machine.conditions();
      void this.#store({ bucket, delivery, logPath, host }, event.result).then(publish, (error: unknown) =>
        publish({ type: 'failed', reason: `its result cannot be stored: ${messageOf(error)}` }),
      );
    };
    const assignment = new Assignment(program, { ...plan, client: this.#client(plan), logPath }, onEvent);
    this.#current = { delivery, assignment };
    void this.#forget(assignment);
    this.#setting.say(`trial ${plan.trialId}: ${plan.share?.sessionCount ?? plan.sessions} sessions`);
    return { accepted: true };
  }

  async #forget(assignment: Assignment): Promise<void> {
    await assignment.ended;
    if (this.#current?.assignment === assignment) this.#current = null;
  }

  /** What carries the plan out, or why nothing here does. */
  #program({ client }: TrialPlan): LoadClientCommand | string {
    const { programs, clientModules } = this.#setting;
    if (client.kind === 'node' && !clientModules.has(client.module))
      return `it has no client module ${client.module}; check out the same commit on both`;
    const without = `it has no ${client.kind} load client; see what it said when it started, and --client`;
    return programs[client.kind] ?? without;
  }

  #client({ client }: TrialPlan): TrialPlan['client'] {
    if (client.kind === 'native') return client;
    return { kind: 'node', module: pathToFileURL(join(this.#setting.root, client.module)).href };
  }

  #order(message: Msg): Answer {
    const { delivery, command } = decode(orderSchema, message);
    if (this.#current?.delivery !== delivery) return refused('it does not carry out this plan');
    if (command.type === 'cancel') this.#current.assignment.kill('its runner gave the trial up');
    else this.#current.assignment.send(command);
    return { accepted: true };
  }

  /** Stores the result and the log for the runner: they may be longer than a message. */
  async #store(
    {
      bucket,
      delivery,
      logPath,
      host,
    }: { bucket: string; delivery: string; logPath: string | null; host: HostConditions | null },
    result: unknown,
  ): Promise<AgentEvent['event']> {
    const store = await new Objm(this.#nats).open(bucket);
    const names = { result: `${delivery}.json`, log: logPath === null ? null : `${delivery}.log` };
    await store.putBlob({ name: names.result }, new TextEncoder().encode(JSON.stringify(result)));
    if (logPath !== null && names.log !== null) {
      await store.put({ name: names.log }, ReadableStream.from(createReadStream(logPath)));
      await rm(logPath);
    }
    return { type: 'stored', ...names, host };
  }

  #release(why: string): void {
    this.#current?.assignment.kill(why);
    this.#newest = null;
    if (this.#run === null) return;
    this.#setting.say(`run ${this.#run}: ${why}`);
    this.#run = null;
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
  }

  #checkRunner(): void {
    if (this.#run === null || performance.now() - this.#heardMs < silenceMsMax) return;
    this.#release(`no message from its runner for ${silenceMsMax} ms`);
  }

  /** Answers requests; an error becomes the answer. */
  #serve(subject: string, answer: (message: Msg) => unknown): Subscription {
    return this.#nats.subscribe(subject, {
      callback: (_error, message) => {
        void Promise.try(answer, message)
          .catch((error: unknown) => refused(messageOf(error)))
          .then((reply) => unlessClosed(() => message.respond(encode(reply))));
      },
    });
  }
}

/** Sends a message, or drops it if the connection has ended: a stopped agent says so before it closes the connection. */
function unlessClosed(send: () => void): void {
  try {
    send();
  } catch (error) {
    const isClosed =
      error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;
    if (!isClosed) throw error;
  }
}

/** What the machine of an agent does between the beginning and the end of its window. */
class MachineInWindow {
  #listed: HostReading | null = null;
  #before: MachineReading | null = null;
  #after: HostReading | null = null;

  phase(phase: Phase): void {
    if (phase === 'warmup') this.#listed = readHost();
    if (phase === 'window') this.#before = readMachine();
    if (phase === 'drain') this.#after = readHost();
  }

  /** Null where the system does not say. */
  conditions(): HostConditions | null {
    const [since, before, after] = [this.#listed, this.#before, this.#after];
    if (since === null || before === null || after === null) return null;
    return hostConditions(before, after, { since, roots: [process.pid] });
  }
}

/** Removes what agents of this machine left that were killed. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(name.startsWith(folderPrefix) ? name.slice(folderPrefix.length) : Number.NaN);
    if (Number.isInteger(pid) && startTimeOf(pid) === null)
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function refused(reason: string): Answer {
  return { accepted: false, reason };
}
