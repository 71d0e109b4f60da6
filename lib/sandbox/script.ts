import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core';
import { depthOf } from './depth';
import { GUEST_SCRIPT } from './guest-script';
import { lineWithin } from './lines';
import { LINE_CHARACTERS, LINES, MEMORY_MIB, RESULT_CHARACTERS, RESULT_DEPTH, STACK_BYTES } from './limits';
import type { JobMessage } from './messages';
import type { SandboxErrorCode, SandboxLine } from './types';

/** The script's file name in stacks. */
const FILE = 'code.js';
const LINE_IN_STACK = /\bcode\.js:(\d+)/;

/** Promise jobs between clock checks: single jobs may be too short for the engine's own check. */
const JOBS_AT_ONCE = 1_000;

/** Errors by which the engine reports a full stack, the latter while parsing. */
const ENGINES_OWN: ReadonlySet<string> = new Set(['InternalError', 'SyntaxError']);

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Ends a script without a value. Thrown on the host side, never inside the engine. */
export class Failed extends Error {
  constructor(
    readonly code: SandboxErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Host callbacks of the engine. */
type Answer = { value: QuickJSHandle; error?: undefined } | { error: QuickJSHandle };

/** A script in its own runtime. */
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
    /** Whether the engine's memory is nearly exhausted. */
    private readonly full: () => boolean,
  ) {
    this.#runtime = module.newRuntime();
    this.#runtime.setMaxStackSize(STACK_BYTES);
    this.#runtime.setInterruptHandler(() => this.#look());
    this.#context = this.#runtime.newContext();
  }

  /** The value as JSON text. @throws Failed; errors of an engine that aborts */
  run(): string {
    const { encode, describe } = this.#guest();
    const must = (answer: Answer, otherwise: SandboxErrorCode = 'script_error'): QuickJSHandle => {
      if (answer.error === undefined) return this.#scope.manage(answer.value);
      throw this.#failure(this.#scope.manage(answer.error), describe, otherwise);
    };
    // On the script's first line, so that line numbers are kept; a final comment must not hide the brace.
    const body = must(this.#context.evalCode(`(async function () {${this.job.source}\n})`, FILE));
    const promise = must(this.#context.callFunction(body, this.#context.undefined));
    this.#runJobs(describe);
    const state = this.#context.getPromiseState(promise);
    if (state.type === 'pending') throw new Failed('script_error', 'The script awaits a promise that never settles');
    if (state.type === 'rejected') throw this.#failure(this.#scope.manage(state.error), describe, 'script_error');
    const value = this.#scope.manage(state.value);
    return this.#text(must(this.#context.callFunction(encode, this.#context.undefined, value), 'result_invalid'));
  }

  /** Frees everything; throws when the engine aborts. */
  dispose(): void {
    this.#scope.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  #look(): boolean {
    this.#halted ||= this.stopped();
    return this.#halted;
  }

  /** Functions of the guest script, unaffected by what the script does to the built-in ones. */
  #guest(): { encode: QuickJSHandle; describe: QuickJSHandle } {
    const context = this.#context;
    const own = <T extends QuickJSHandle>(handle: T): T => this.#scope.manage(handle);
    const print = context.newFunction('print', (level, text) => {
      this.#print(context.getNumber(level), context.getString(text));
    });
    // Fails only for lack of memory or time, as no user code has run.
    const must = (answer: Answer): QuickJSHandle => {
      if (answer.error === undefined) return own(answer.value);
      throw this.#halted ? timedOut(this.job) : outOfMemory();
    };
    const made = must(context.evalCode(GUEST_SCRIPT, 'guest.js'));
    const args = [own(print), own(context.newString(this.job.globals)), own(context.newNumber(LINE_CHARACTERS))];
    const guest = must(context.callFunction(made, context.undefined, ...args));
    return { encode: own(context.getProp(guest, 'encode')), describe: own(context.getProp(guest, 'describe')) };
  }

  #print(level: number, text: string): void {
    if (this.lines.length < LINES - 1) this.lines.push({ level: LEVELS[level] ?? 'info', message: text });
    else if (this.lines.length < LINES) this.lines.push({ level: 'warn', message: 'Further lines are omitted' });
  }

  /** Runs all pending promise jobs. */
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
      throw new Failed('result_invalid', 'The script returned a function or a symbol, which is not JSON');
    const length = context.getNumber(this.#scope.manage(context.getProp(encoded, 'length')));
    if (length > RESULT_CHARACTERS)
      throw new Failed(
        'result_too_large',
        `The result has ${length} characters as JSON; the limit is ${RESULT_CHARACTERS}`,
      );
    const text = context.getString(encoded);
    if (depthOf(text) > RESULT_DEPTH)
      throw new Failed('result_invalid', `The result is nested more than ${RESULT_DEPTH} deep`);
    return text;
  }

  /** Converts a thrown value. */
  #failure(thrown: QuickJSHandle, describe: QuickJSHandle, otherwise: SandboxErrorCode): Failed {
    const context = this.#context;
    const described = this.#halted ? null : context.callFunction(describe, context.undefined, thrown);
    if (described === null || this.#halted) return timedOut(this.job);
    // Fails only for lack of memory: the guest script catches everything else.
    if (described.error !== undefined) return outOfMemory();
    const text = context.getString(this.#scope.manage(described.value));
    const [name, message, stack] = JSON.parse(text) as [string, string, string];
    if (name === 'InternalError' && message === 'out of memory') return outOfMemory();
    // Without memory for an error object, the engine throws null.
    if (name === '' && message === 'null' && this.full()) return outOfMemory();
    if (ENGINES_OWN.has(name) && message === 'stack overflow')
      return new Failed('too_deep', `The script recurses too deeply${lineOf(stack, this.job.source)}`);
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
