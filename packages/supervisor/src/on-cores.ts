/** The processors of a process. */
export interface Cores {
  /** The path of util-linux's program. */
  readonly taskset: string;
  /** In the kernel's form: `0,2-3`. */
  readonly list: string;
}

/** A command that runs another on these processors; null means all. The process and its id stay the same. */
export function onCores<Command extends { readonly command: string; readonly arguments: readonly string[] }>(
  cores: Cores | null,
  run: Command,
): Command {
  if (cores === null) return run;
  return {
    ...run,
    command: cores.taskset,
    arguments: ['--cpu-list', cores.list, run.command, ...run.arguments],
  };
}
