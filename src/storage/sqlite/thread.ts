/** A thread of the engine: started by its first message, replaced after a crash, ended by its last message. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EndMessage } from './messages.ts';

/**
 * Memory for young objects. By default, each thread of a busy service grows to up to four times as much within hours,
 * and returns none of it.
 */
const youngGenerationMiB = 12;

export interface ThreadHandlers<Answer> {
  answered(answer: Answer): void;
  /** The thread has ended, and its unanswered messages are lost. The next message starts another one. */
  crashed(error: Error): void;
}

export class Thread<Message, Answer> {
  readonly #file: URL;
  readonly #data: unknown;
  readonly #handlers: ThreadHandlers<Answer>;
  #worker: Worker | null = null;

  /** @param data passed to the thread as `workerData` */
  constructor(file: URL, data: unknown, handlers: ThreadHandlers<Answer>) {
    this.#file = file;
    this.#data = data;
    this.#handlers = handlers;
  }

  post(message: Message): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage(message);
  }

  /** Resolves when the thread has closed its files and ended; it must have answered everything. */
  async end(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    this.#worker = null;
    const ended = once(worker, 'exit');
    worker.postMessage({ end: true } satisfies EndMessage);
    await ended;
  }

  #start(): Worker {
    // Flags of the process, such as --input-type, may not suit a thread's file.
    const worker = new Worker(this.#file, {
      workerData: this.#data,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB },
    });
    const gone = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#handlers.crashed(error);
    };
    // A message from a thread that was already replaced is not the awaited answer.
    worker.on('message', (answer: Answer) => {
      if (this.#worker === worker) this.#handlers.answered(answer);
    });
    worker.on('messageerror', (error) => {
      gone(error);
      void worker.terminate();
    });
    worker.on('error', gone);
    worker.on('exit', (code) => gone(new Error(`The thread ended with exit code ${code}.`)));
    return worker;
  }
}
