import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type JsonObject, messageOf } from '@fair-bench/contract';
import { z } from 'zod';

const answerSchema = z.union([z.strictObject({ ok: z.unknown() }), z.strictObject({ error: z.string() })]);
type Answer = z.infer<typeof answerSchema>;
const closeMsMax = 30_000;

interface Question {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The control plane of an engine, in a process of its own that has it open: one command a line, one answer a line. */
export class Control {
  readonly #name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<void>;
  readonly #questions: Question[] = [];
  readonly #errors: string[] = [];
  #hasEnded = false;

  /** Starts `PROGRAM control`. It ends with its input, and so with this process. */
  constructor(name: string, program: string) {
    this.#name = name;
    this.#child = spawn(program, ['control'], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#ended = this.#end();
    // A program that has ended is reported by what was asked of it.
    this.#child.stdin.on('error', () => undefined);
    createInterface({ input: this.#child.stderr }).on('line', (line) => this.#errors.push(line));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#hear(line));
  }

  /** Resolves with the answer to one command; rejects with the program's reason. */
  async ask(command: JsonObject): Promise<unknown> {
    if (this.#hasEnded) throw this.#endedEarly();
    const answer = new Promise<unknown>((resolve, reject) => this.#questions.push({ resolve, reject }));
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
    return await answer;
  }

  /** Closes the engine; resolves when the process has ended. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), closeMsMax);
    await this.#ended;
    clearTimeout(late);
  }

  #hear(line: string): void {
    const question = this.#questions.shift();
    if (question === undefined) return;
    const answer = answerOf(line);
    if (answer === null) question.reject(new Error(`${this.#name}: its program answered ${line}`));
    else if ('error' in answer) question.reject(new Error(`${this.#name}: ${answer.error}`));
    else question.resolve(answer.ok);
  }

  async #end(): Promise<void> {
    try {
      await once(this.#child, 'close');
    } catch (error) {
      this.#errors.push(messageOf(error));
    }
    this.#hasEnded = true;
    for (const { reject } of this.#questions.splice(0)) reject(this.#endedEarly());
  }

  #endedEarly(): Error {
    const said = this.#errors.slice(-3).join(' | ');
    return new Error(`${this.#name}: its program has ended${said === '' ? '' : `: ${said}`}`);
  }
}

function answerOf(line: string): Answer | null {
  try {
    return answerSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
