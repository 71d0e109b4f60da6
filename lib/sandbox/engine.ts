/**
 * One instance of the JavaScript engine in WebAssembly, with a linear memory of its own.
 *
 *  E1  A script gets a fresh runtime and context. Of the host it can reach the guest's `print`, and nothing else.
 *  E2  After a script that was cut off (by time, memory or depth) the engine is spent: what was left half done inside
 *      may make it abort later, in its clean-up or in the next script.
 *  E3  An engine that aborts is spent, and says so instead of throwing.
 */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';
import { ENGINE_BYTES, ENGINE_BYTES_AT_FIRST } from './limits';
import type { JobMessage, Ran } from './messages';
import { Failed, Script } from './script';
import type { SandboxErrorCode, SandboxLine } from './types';

const PAGE_BYTES = 65_536;
/** Memory grows in steps, the last of which may be refused. */
const NEARLY_FULL_BYTES = (ENGINE_BYTES / 4) * 3;

const CUT_OFF: ReadonlySet<SandboxErrorCode> = new Set(['timed_out', 'out_of_memory', 'too_deep', 'crashed']);

export class Engine {
  #spent = false;

  private constructor(
    private readonly module: QuickJSWASMModule,
    private readonly memory: WebAssembly.Memory,
  ) {}

  static async create(compiled: WebAssembly.Module): Promise<Engine> {
    const memory = new WebAssembly.Memory({
      initial: ENGINE_BYTES_AT_FIRST / PAGE_BYTES,
      maximum: ENGINE_BYTES / PAGE_BYTES,
    });
    // What it prints when it aborts would go to the process's own output.
    const silent: object = { print: () => undefined, printErr: () => undefined };
    const ours = newVariant(variant, { wasmModule: compiled, wasmMemory: memory, emscriptenModule: silent });
    return new Engine(await newQuickJSWASMModuleFromVariant(ours), memory);
  }

  /** True when no further script may run in it. */
  get spent(): boolean {
    return this.#spent || this.memory.buffer.byteLength > ENGINE_BYTES_AT_FIRST;
  }

  /** Runs a script to its end, which comes soon after `stopped` says so. */
  run(job: JobMessage, stopped: () => boolean): Ran {
    const lines: SandboxLine[] = [];
    let script: Script | null = null;
    let ran: Ran;
    try {
      script = new Script(this.module, job, stopped, lines, () => this.memory.buffer.byteLength > NEARLY_FULL_BYTES);
      ran = { kind: 'value', text: script.run(), lines };
    } catch (fault) {
      const { code, message } = fault instanceof Failed ? fault : breakdown(fault);
      this.#spent ||= CUT_OFF.has(code);
      ran = { kind: 'error', code, message, lines };
    }
    if (!this.#spent) this.#dispose(script);
    return ran;
  }

  #dispose(script: Script | null): void {
    try {
      script?.dispose();
    } catch {
      // E3: the script has its result all the same.
      this.#spent = true;
    }
  }
}

/** What the engine itself broke down of. A script may recurse, inside built-in functions, deeper than the thread can. */
const breakdown = (fault: unknown): Failed =>
  fault instanceof RangeError && fault.message.includes('call stack')
    ? new Failed('too_deep', 'The script recurses too deep')
    : new Failed('crashed', `The sandbox broke down: ${fault instanceof Error ? fault.message : String(fault)}`);
