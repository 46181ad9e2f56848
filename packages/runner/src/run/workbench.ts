import { Artifacts, type RunPlan } from '@fair-bench/results';
import { createSupervisor, type RunSupervisor } from '@fair-bench/supervisor';
import { LoadAgents } from '../measure/load-agents.ts';
import { LoadProcesses } from '../measure/load-client-process.ts';
import type { TrialResources } from '../measure/measure-cell.ts';
import type { RunContext } from '../measure/run-context.ts';
import { CellMemory } from '../probes/cell-memory.ts';
import { type Pinning, pinning } from '../probes/cores.ts';
import { StorageProbes } from '../probes/storage.ts';
import { Targets } from '../provision/targets.ts';

/** Everything that trials need of the machine, before anything of it is built or started; nothing is left when it is disposed of. */
export interface Workbench
  extends Pick<TrialResources, 'context' | 'targets' | 'processes' | 'storage' | 'memory'>, AsyncDisposable {
  readonly artifacts: Artifacts;
  readonly supervisor: RunSupervisor;
  readonly agents: LoadAgents | null;
  readonly pinned: Pinning;
}

/** The workbench of a run, of a tool's trials, and of a target whose trial is printed. */
export async function openWorkbench(plan: RunPlan, context: RunContext): Promise<Workbench> {
  const artifacts = new Artifacts(context.directory);
  await artifacts.open();
  await artifacts.write('plan.json', plan);
  const pinned = await pinning(plan.pin, Math.max(1, ...plan.cells.map(({ threads }) => threads)));
  const supervisor = createSupervisor({
    logDirectory: artifacts.logDirectory,
    cores: pinned.cores?.servers ?? null,
    signal: context.signal,
    dataRoot: context.dataDirectory,
  });
  const targets = new Targets(plan, { ...context, supervisor });
  await using stack = new AsyncDisposableStack();
  // Disposed of when its processes have ended.
  const memory = stack.use(new CellMemory(plan.cells));
  const processes = stack.use(new LoadProcesses());
  const agents = stack.use(await LoadAgents.open(context.loadAgents, plan.id, context.root));
  stack.defer(async () => {
    for (const failure of await targets.closeAll()) context.display.message(failure);
    await supervisor.stopAll();
    for (const failure of artifacts.failures) context.display.message(failure);
  });
  const storage = new StorageProbes();
  const opened = stack.move();
  return {
    artifacts,
    supervisor,
    pinned,
    context,
    targets,
    processes,
    agents,
    storage,
    memory,
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
