import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { messageOf } from '@fair-bench/contract';
import { type ClientEvent, clientEventSchema, type TrialPlan } from '@fair-bench/results';

export interface Program {
  readonly command: string;
  readonly arguments: readonly string[];
}

const standardErrorBytesMax = 4096;

/**
 * A local load client that executes one plan. It ends with this process, because its standard input ends. Its last
 * event is `result` or `failed`.
 */
export class Assignment {
  /** When the load client has ended. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcessWithoutNullStreams;
  #standardError = '';
  #killedBecause: string | null = null;

  constructor(program: Program, plan: TrialPlan, onEvent: (event: ClientEvent) => void) {
    // Its own session: Ctrl-C in a terminal reaches only the agent, which ends it.
    this.#child = spawn(program.command, [...program.arguments], { detached: true });
    // The end of a client is reported, not the broken pipe that follows.
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#standardError = (this.#standardError + chunk).slice(-standardErrorBytesMax);
    });
    this.ended = this.#relay(onEvent);
    this.send({ type: 'plan', plan });
  }

  send(command: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** The reason is what is heard last of it. */
  kill(why: string): void {
    this.#killedBecause ??= why;
    this.#child.kill('SIGKILL');
  }

  async #relay(onEvent: (event: ClientEvent) => void): Promise<void> {
    const closed = new Promise<string>((resolve) => {
      this.#child.on('error', (error) => resolve(`could not be started: ${error.message}`));
      this.#child.on('close', (code, signal) =>
        resolve(`ended ${signal === null ? `with code ${code}` : `by ${signal}`}`),
      );
    });
    let isOver = false;
    try {
      for await (const line of createInterface({ input: this.#child.stdout, crlfDelay: Infinity })) {
        const event = clientEventSchema.parse(JSON.parse(line));
        isOver ||= event.type === 'result' || event.type === 'failed';
        onEvent(event);
      }
    } catch (error) {
      this.kill('it does not keep the protocol');
      onEvent({
        type: 'failed',
        reason: `its load client wrote a line that is not an event: ${messageOf(error)}`,
      });
      isOver = true;
    }
    this.#child.stdin.end();
    const how = await closed;
    if (isOver) return;
    const itself = `its load client ${how} ${this.#standardError.trim()}`.trim();
    onEvent({ type: 'failed', reason: this.#killedBecause ?? itself });
  }
}
