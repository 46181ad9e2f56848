import { messageOf } from '@fair-bench/contract';
import { ClientProcess, type LoadClientCommand } from '@fair-bench/load-client';
import type { ClientCommand, ClientEvent, TrialPlan } from '@fair-bench/results';

/** A local load client that executes one plan. Its last event is `result` or `failed`. */
export class Assignment {
  /** When the load client has ended. */
  readonly ended: Promise<void>;
  readonly #client: ClientProcess;
  #killedBecause: string | null = null;

  constructor(program: LoadClientCommand, plan: TrialPlan, onEvent: (event: ClientEvent) => void) {
    this.#client = new ClientProcess(program);
    this.ended = this.#relay(onEvent);
    this.send({ type: 'plan', plan });
  }

  send(command: ClientCommand): void {
    this.#client.send(command);
  }

  /** The reason is what is heard last of it. */
  kill(why: string): void {
    this.#killedBecause ??= why;
    this.#client.kill();
  }

  async #relay(onEvent: (event: ClientEvent) => void): Promise<void> {
    let isOver = false;
    try {
      for await (const event of this.#client.events()) {
        isOver = event.type === 'result' || event.type === 'failed';
        onEvent(event);
      }
    } catch (error) {
      this.kill(messageOf(error));
    }
    this.#client.release();
    const how = await this.#client.closed;
    if (isOver) return;
    const itself = `its load client ${how} ${this.#client.saidLast}`.trim();
    onEvent({ type: 'failed', reason: this.#killedBecause ?? itself });
  }
}
