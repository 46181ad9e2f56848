import { readdir, readFile } from 'node:fs/promises';

/** Process ids whose command line or environment contains `text`: everything that a run with that folder started. */
export async function processesMentioning(text: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const parts = await Promise.all(
        ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(gone)),
      );
      return parts.some((part) => part.includes(text)) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}

/** Process ids of the children of `pid`. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(gone);
  return text.split(' ').filter(Boolean).map(Number);
}

/** Waits until `condition` holds; false when it does not within `timeoutMs`. */
export async function eventually(condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return await condition();
}

/** A process that has ended mentions nothing. */
function gone(): string {
  return '';
}
