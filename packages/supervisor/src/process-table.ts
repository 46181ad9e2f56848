import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '@fair-bench/contract';

/**
 * The start time of a process, as an opaque string: with the pid it identifies one process for ever, although pids
 * are reused. Null when there is no such process, or when it is a zombie.
 */
export function startTimeOf(pid: number): string | null {
  if (process.platform === 'linux') {
    const stat = procStat(String(pid));
    return stat === null || stat.state === 'Z' ? null : stat.startTime;
  }
  return ps('lstart=', pid);
}

function ps(field: string, pid: number): string | null {
  try {
    const text = execFileSync('ps', ['-o', field, '-p', String(pid)], { encoding: 'utf8', timeout: 5_000 });
    return text.trim() || null;
  } catch {
    // ps exits with 1 when there is no such process.
    return null;
  }
}

/** The parent's id; null when there is no such process. */
export function parentOf(pid: number): number | null {
  if (process.platform === 'linux') return procStat(String(pid))?.parent ?? null;
  return Number(ps('ppid=', pid) ?? Number.NaN) || null;
}

/** Sends a signal to a process, or to a process group (a negative pid). False: no such process. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

/** Whether a process group has a member that still runs. */
function groupRuns(group: number): boolean {
  // A group of zombies still takes signals until its parent reaps them, so signal 0 is not enough.
  if (process.platform === 'linux') {
    return readdirSync('/proc').some((entry) => {
      const stat = /^\d+$/.test(entry) ? procStat(entry) : null;
      return stat !== null && stat.group === group && stat.state !== 'Z';
    });
  }
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a process group is gone; false when it still runs after `timeoutMs`. */
export async function groupGone(group: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (groupRuns(group)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

interface ProcStat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly startTime: string;
}

function procStat(pid: string): ProcStat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    // The process ended: its folder is gone.
    return null;
  }
  // The second field is the command in parentheses and may contain anything, so fields are counted from its end.
  // proc_pid_stat(5): state is field 3, ppid 4, pgrp 5, starttime 22.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (state === undefined || group === undefined || startTime === undefined) return null;
  return { state, parent: Number(parent), group: Number(group), startTime };
}
