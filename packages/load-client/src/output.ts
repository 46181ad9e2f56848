import type { ClientEvent } from '@fair-bench/results/protocol';

/** Writes an event as one line of JSON. */
export function writeEvent(event: ClientEvent): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** One line for people. */
export function writeNotice(text: string): void {
  process.stderr.write(`load client: ${text}\n`);
}

/** Ends the process once everything is written; handles that others left open do not keep it. */
export function exit(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
