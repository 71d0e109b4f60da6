import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core';
import { depthOf } from './depth';
import { GUEST } from './guest';
import { lineWithin } from './lines';
import { LINE_CHARACTERS, LINES, MEMORY_MIB, RESULT_CHARACTERS, RESULT_DEPTH, STACK_BYTES } from './limits';
import type { JobMessage } from './messages';
import type { SandboxErrorCode, SandboxLine } from './types';

/** The script's name in stacks. */
const FILE = 'code.js';
const LINE_IN_STACK = /\bcode\.js:(\d+)/;

/** Jobs of promises between looks at the time: one alone may be too short for the engine to look itself. */
const JOBS_AT_ONCE = 1_000;

/** Errors in which the engine says that its stack is full, the latter where it reads a text. */
const ENGINES_OWN: ReadonlySet<string> = new Set(['InternalError', 'SyntaxError']);

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Thrown on the host's side of the engine, never inside: the script is over and has no value. */
export class Failed extends Error {
  constructor(
    readonly code: SandboxErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** What the engine calls when it answers. */
type Answer = { value: QuickJSHandle; error?: undefined } | { error: QuickJSHandle };

/** One script in a runtime of its own. */
export class Script {
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #scope = new Scope();
  #halted = false;

  constructor(
    module: QuickJSWASMModule,
    private readonly job: JobMessage,
    private readonly stopped: () => boolean,
    private readonly lines: SandboxLine[],
    /** Whether the engine's memory is about used up. */
    private readonly full: () => boolean,
  ) {
    this.#runtime = module.newRuntime();
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => this.#look());
    this.#context = this.#runtime.newContext();
  }

  /** The value as JSON text. @throws Failed, and whatever an engine that aborts throws */
  run(): string {
    const { encode, describe } = this.#guest();
    const must = (answer: Answer, otherwise: SandboxErrorCode = 'script_error'): QuickJSHandle => {
      if (answer.error === undefined) return this.#scope.manage(answer.value);
      throw this.#failure(this.#scope.manage(answer.error), describe, otherwise);
    };
    // On one line with the script's first, so that its lines keep their numbers; a comment at its end must not hide the brace.
    const body = must(this.#context.evalCode(`(async function () {${this.job.source}\n})`, FILE));
    const promise = must(this.#context.callFunction(body, this.#context.undefined));
    this.#runJobs(describe);
    const state = this.#context.getPromiseState(promise);
    if (state.type === 'pending') throw new Failed('script_error', 'The script awaits what never comes');
    if (state.type === 'rejected') throw this.#failure(this.#scope.manage(state.error), describe, 'script_error');
    const value = this.#scope.manage(state.value);
    return this.#text(must(this.#context.callFunction(encode, this.#context.undefined, value), 'result_invalid'));
  }

  /** Frees all of it; throws when the engine aborts in doing so. */
  dispose(): void {
    this.#scope.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  #look(): boolean {
    this.#halted ||= this.stopped();
    return this.#halted;
  }

  /** The guest's functions: they are as they were before the script, whatever it does to the built-in ones. */
  #guest(): { encode: QuickJSHandle; describe: QuickJSHandle } {
    const context = this.#context;
    const own = <T extends QuickJSHandle>(handle: T): T => this.#scope.manage(handle);
    const print = context.newFunction('print', (level, text) => {
      this.#print(context.getNumber(level), context.getString(text));
    });
    // Only memory and time can be wanting: nobody has touched anything yet.
    const must = (answer: Answer): QuickJSHandle => {
      if (answer.error === undefined) return own(answer.value);
      throw this.#halted ? timedOut(this.job) : outOfMemory();
    };
    const made = must(context.evalCode(GUEST, 'guest.js'));
    const args = [own(print), own(context.newString(this.job.globals)), own(context.newNumber(LINE_CHARACTERS))];
    const guest = must(context.callFunction(made, context.undefined, ...args));
    return { encode: own(context.getProp(guest, 'encode')), describe: own(context.getProp(guest, 'describe')) };
  }

  #print(level: number, text: string): void {
    if (this.lines.length < LINES - 1) this.lines.push({ level: LEVELS[level] ?? 'info', message: text });
    else if (this.lines.length < LINES) this.lines.push({ level: 'warn', message: 'Further lines are left out' });
  }

  /** Runs what promises have put off, until nothing is left. */
  #runJobs(describe: QuickJSHandle): void {
    while (this.#runtime.hasPendingJob()) {
      const ran = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
      if (ran.error !== undefined) throw this.#failure(this.#scope.manage(ran.error), describe, 'script_error');
      if (this.#look()) throw timedOut(this.job);
    }
  }

  #text(encoded: QuickJSHandle): string {
    const context = this.#context;
    if (context.typeof(encoded) !== 'string')
      throw new Failed('result_invalid', 'The script returned a function or a symbol, which is no JSON');
    const length = context.getNumber(this.#scope.manage(context.getProp(encoded, 'length')));
    if (length > RESULT_CHARACTERS)
      throw new Failed('result_too_large', `The result has ${length} characters as JSON; ${RESULT_CHARACTERS} may be`);
    const text = context.getString(encoded);
    if (depthOf(text) > RESULT_DEPTH)
      throw new Failed('result_invalid', `The result is nested more than ${RESULT_DEPTH} deep`);
    return text;
  }

  /** What a thrown value means. */
  #failure(thrown: QuickJSHandle, describe: QuickJSHandle, otherwise: SandboxErrorCode): Failed {
    const context = this.#context;
    const described = this.#halted ? null : context.callFunction(describe, context.undefined, thrown);
    if (described === null || this.#halted) return timedOut(this.job);
    // Only for want of memory: the guest catches whatever the script may have put in its way.
    if (described.error !== undefined) return outOfMemory();
    const text = context.getString(this.#scope.manage(described.value));
    const [name, message, stack] = JSON.parse(text) as [string, string, string];
    if (name === 'InternalError' && message === 'out of memory') return outOfMemory();
    // Without memory for the error, what the engine throws is null.
    if (name === '' && message === 'null' && this.full()) return outOfMemory();
    if (ENGINES_OWN.has(name) && message === 'stack overflow')
      return new Failed('too_deep', `The script recurses too deep${lineOf(stack, this.job.source)}`);
    return new Failed(
      otherwise,
      `${[name, message].filter((part) => part !== '').join(': ')}${lineOf(stack, this.job.source)}`,
    );
  }
}

const outOfMemory = (): Failed => new Failed('out_of_memory', `The script needs more than ${MEMORY_MIB} MiB of memory`);

const timedOut = ({ timeoutMs }: JobMessage): Failed =>
  new Failed('timed_out', `The script took longer than its ${timeoutMs} ms`);

function lineOf(stack: string, source: string): string {
  const line = LINE_IN_STACK.exec(stack)?.[1];
  return line === undefined ? '' : ` (line ${lineWithin(source, Number(line))})`;
}
