import {
  type Deployment,
  type Facts,
  InputError,
  logDirectoryOf,
  messageOf,
  type ProcessRef,
  type Supervisor,
  type TargetOptions,
  type Observer,
} from '@fair-bench/contract';
import { type Contention, describeContention, type PlannedTarget, type RunPlan } from '@fair-bench/results';
import { Deployments } from '@fair-bench/supervisor';
import type { LoadedConnector } from '../discover/load.ts';
import { type OptionsInput, targetOptions } from '../plan/target-options.ts';
import { rehearse } from './rehearse.ts';

const factsTimeoutMs = 15_000;

export interface TargetsContext extends Omit<OptionsInput, 'plan'> {
  /** Of the plan's targets, by the plan's `connector`. */
  readonly connectors: ReadonlyMap<string, LoadedConnector>;
  readonly supervisor: Supervisor;
  readonly signal: AbortSignal;
}

/** What a trial is measured on. */
interface DeploymentOfTrial {
  readonly deployment: Deployment;
  /** Which start of the target it is, from 1. */
  readonly ordinal: number;
  readonly isFirst: boolean;
}

/** The result of provisioning a target. */
export type TargetState =
  | {
      readonly status: 'ready';
      readonly facts: Facts;
      /** Where its commits are flushed. */
      readonly storageDirectory: string | null;
      /** Of its rehearsal. */
      readonly contention?: Contention;
    }
  | { readonly status: 'unavailable'; readonly reason: string; readonly remedy: string }
  /** It was ready, and no longer answered after its rehearsal. */
  | { readonly status: 'lost'; readonly facts: Facts; readonly reason: string; readonly remedy: string }
  | { readonly status: 'interrupted' };

type ReadyState = Extract<TargetState, { status: 'ready' }>;

/** The targets of a run: each is started when it is first needed, and restarted when it has died. */
export class Targets {
  readonly #plan: RunPlan;
  readonly #context: TargetsContext;
  readonly #deployments: Deployments;
  /** Those that a trial was measured on. */
  readonly #used = new WeakSet<Deployment>();

  constructor(plan: RunPlan, context: TargetsContext) {
    this.#plan = plan;
    this.#context = context;
    this.#deployments = new Deployments(context);
  }

  /**
   * Probes and starts one target and reads its facts. A failure is a state; only a mistake in a file of the workload
   * is an InputError.
   */
  async provision(target: PlannedTarget): Promise<TargetState> {
    try {
      const availability = await this.#connector(target).connector.probe(this.optionsOf(target));
      if (!availability.available) {
        return { status: 'unavailable', reason: availability.reason, remedy: availability.remedy };
      }
      const deployment = await this.ensure(target.target);
      const facts = await deployment.facts(this.#bounded(factsTimeoutMs));
      return { status: 'ready', facts, storageDirectory: logDirectoryOf(facts) };
    } catch (error) {
      if (this.#context.signal.aborted) return { status: 'interrupted' };
      const reason = messageOf(error);
      if (isMistake(error)) throw new InputError(reason, { cause: error });
      return { status: 'unavailable', reason, remedy: 'see its log in the run folder' };
    }
  }

  /**
   * Executes each operation's boundary cases, and many at once, untimed. An InputError names a mistake in the binding.
   * Lost if the target no longer answers afterwards, whatever came of the rehearsal.
   */
  async rehearse(target: PlannedTarget, ready: ReadyState): Promise<TargetState> {
    const { workload, signal } = this.#context;
    const name = target.target;
    const { found } = this.#connector(target);
    const { sessionsMax, setup } = this.optionsOf(target);
    try {
      const deployment = await this.ensure(name);
      const byUrl = target.url !== null;
      const hasOwnTables = setup !== null;
      const of = { target: name, found, deployment, workload, byUrl, hasOwnTables, sessionsMax, signal };
      const rehearsing = rehearse(of);
      const [rehearsed] = await Promise.allSettled([rehearsing]);
      if (!signal.aborted && !(await this.answers(name))) return lostIn(ready, rehearsed);
      if (rehearsed.status === 'rejected') throw rehearsed.reason;
      return { ...ready, contention: rehearsed.value };
    } catch (error) {
      if (signal.aborted) return { status: 'interrupted' };
      throw error;
    }
  }

  /** In the form that a connector receives. */
  optionsOf(target: PlannedTarget): TargetOptions {
    return targetOptions({ ...this.#context, plan: this.#plan }, target);
  }

  /** The target's deployment: the present one if it answers, otherwise a new one. */
  async ensure(name: string): Promise<Deployment> {
    const target = this.#planned(name);
    return await this.#deployments.ensure(name, this.#connector(target).connector, this.optionsOf(target));
  }

  /** Another connection to the target, as trials have it beside their load. */
  async observe(name: string): Promise<Observer> {
    const deployment = await this.ensure(name);
    return await deployment.observe(this.#bounded(factsTimeoutMs));
  }

  /**
   * The target's deployment for a trial: which start of the target it is, and whether the trial is its first. A new
   * server is slower until its code is compiled and its caches are filled.
   */
  async ensureForTrial(name: string): Promise<DeploymentOfTrial> {
    const deployment = await this.ensure(name);
    const isFirst = !this.#used.has(deployment);
    this.#used.add(deployment);
    return { deployment, ordinal: this.#deployments.starts(name), isFirst };
  }

  /**
   * Ends every server that this run started, and starts these targets again, each with a new data directory; the
   * others start when they are needed. One that cannot be started is the failure of its next trial. Returns messages
   * of what could not be ended.
   */
  async restart(names: readonly string[]): Promise<readonly string[]> {
    const failures = await this.#deployments.closeOurs();
    await Promise.allSettled(names.map(async (name) => await this.ensure(name)));
    return failures;
  }

  /** Whether the target's deployment is there and answers. */
  async answers(name: string): Promise<boolean> {
    return await this.#deployments.answers(name);
  }

  /** The running servers of the other targets, which should be idle while this one is measured. */
  processesBeside(name: string): readonly ProcessRef[] {
    return this.#deployments.processesBeside(name);
  }

  /** The target at a durability level: itself if that is its own, otherwise another one started beside it. */
  async ensureAt(target: PlannedTarget, durability: PlannedTarget['durability']): Promise<Deployment> {
    if (durability === target.durability) return await this.ensure(target.target);
    const options = { ...this.optionsOf(target), durability };
    return await this.#deployments.ensure(besideName(target), this.#connector(target).connector, options);
  }

  /** Closes what `ensureAt` started beside a target. */
  async closeLevels(target: PlannedTarget): Promise<void> {
    await this.#deployments.close(besideName(target));
  }

  /** Closes every target; continues after a failure, and returns the failures' messages. */
  async closeAll(): Promise<readonly string[]> {
    return await this.#deployments.closeAll();
  }

  #planned(name: string): PlannedTarget {
    const target = this.#plan.targets.find((candidate) => candidate.target === name);
    if (target === undefined) throw new Error(`${name}: not a target of this plan`);
    return target;
  }

  #connector(target: PlannedTarget): LoadedConnector {
    const connector = this.#context.connectors.get(target.connector);
    if (connector === undefined)
      throw new Error(`${target.target}: connector ${target.connector} was not loaded`);
    return connector;
  }

  #bounded(timeoutMs: number): AbortSignal {
    return AbortSignal.any([this.#context.signal, AbortSignal.timeout(timeoutMs)]);
  }
}

/** What ended the rehearsal is named, because the server itself says nothing any more. */
function lostIn({ facts }: ReadyState, rehearsed: PromiseSettledResult<Contention>): TargetState {
  const ending =
    rehearsed.status === 'rejected' ? messageOf(rehearsed.reason) : describeContention(rehearsed.value);
  return {
    status: 'lost',
    facts,
    reason: `${facts.system.name} was lost during the rehearsal before the rounds and no longer answers (${ending})`,
    remedy: 'see its log in the run folder',
  };
}

/** Whether a file of the workload is its cause; a connector may have added the target's name. */
function isMistake(error: unknown): boolean {
  return error instanceof InputError || (error instanceof Error && isMistake(error.cause));
}

function besideName({ target }: PlannedTarget): string {
  return `${target}-at-the-other-level`;
}
