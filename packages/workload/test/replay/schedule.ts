import type { OperationOutcome, Values } from '@fair-bench/contract';
import {
  createSlots,
  createStream,
  type OutcomeLog,
  type SessionLog,
  type SessionSpan,
  type Slots,
  type Workload,
} from '../../src/index.ts';

export interface Call {
  readonly session: number;
  readonly sequence: number;
  readonly operation: string;
  readonly number: number;
  readonly values: Values;
}

interface InFlight {
  readonly log: SessionLog;
  readonly call: Call;
  readonly sentUs: number;
  outcome: OperationOutcome | null;
}

/** Sends, executes and settles operations in a random but reproducible order. */
export class Schedule {
  readonly #workload: Workload;
  readonly #log: OutcomeLog;
  readonly #setting: { sessions: SessionSpan; depth: number; operations: number };
  #state = 12_345;
  #nowUs = 0;

  constructor(
    workload: Workload,
    log: OutcomeLog,
    setting: { sessions: SessionSpan; depth: number; operations: number },
  ) {
    this.#workload = workload;
    this.#log = log;
    this.#setting = setting;
  }

  run(execute: (call: Call) => OperationOutcome): void {
    const {
      sessions: { first, count, all },
      depth,
      operations,
    } = this.#setting;
    const opened = Array.from({ length: count }, (_, place) => ({
      session: first + place,
      log: this.#log.open(first + place),
      stream: createStream(this.#workload, { session: first + place, sessions: all }),
      left: operations,
      outstanding: 0,
    }));
    const flying: InFlight[] = [];
    for (;;) {
      this.#nowUs += 1 + this.#random(3);
      const idle = opened.filter(({ left, outstanding }) => left > 0 && outstanding < depth);
      const choice = this.#random(3);
      const from = idle[this.#random(idle.length)];
      if (from !== undefined && (choice === 0 || flying.length === 0)) {
        // Its own slots, as a load client has for each outstanding operation.
        const slots = createSlots(this.#workload);
        flying.push(this.#send(from.session, from.log, slots, from.stream.next(slots)));
        from.left -= 1;
        from.outstanding += 1;
        continue;
      }
      if (flying.length === 0) return;
      const place = this.#random(flying.length);
      const one = flying[place];
      if (one === undefined) continue;
      if (one.outcome === null) one.outcome = execute(one.call);
      else {
        const { sequence, number, values, session } = one.call;
        one.log.settled(sequence, number, values, one.outcome, one.sentUs, this.#nowUs);
        const own = opened[session - first];
        if (own !== undefined) own.outstanding -= 1;
        flying.splice(place, 1);
      }
    }
  }

  #send(session: number, log: SessionLog, slots: Slots, number: number): InFlight {
    const operationName = this.#workload.operations[number]?.name ?? '';
    const values = slots[number] ?? [];
    const sequence = log.drawn(number, values);
    const call = { session, sequence, operation: operationName, number, values };
    return { log, call, sentUs: this.#nowUs, outcome: null };
  }

  #random(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }
}
