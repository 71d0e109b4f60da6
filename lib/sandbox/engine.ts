/**
 * An instance of the JavaScript engine in WebAssembly, with its own linear memory.
 *
 * E1 A script gets a fresh runtime and context. Of the host it can reach only the guest's `print`.
 * E2 After a script that was cut off (by time, memory or depth) the engine is spent: interrupted operations may make
 *   it abort later.
 * E3 An engine that aborts is spent, and reports it instead of throwing.
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
    // Its abort message would go to the process's own output.
    const silent: object = { print: () => undefined, printErr: () => undefined };
    const ours = newVariant(variant, { wasmModule: compiled, wasmMemory: memory, emscriptenModule: silent });
    return new Engine(await newQuickJSWASMModuleFromVariant(ours), memory);
  }

  /** True when it must run no further script. */
  get spent(): boolean {
    return this.#spent || this.memory.buffer.byteLength > ENGINE_BYTES_AT_FIRST;
  }

  /** Runs a script; it ends soon after `stopped` returns true. */
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
      // E3: the script's result is valid.
      this.#spent = true;
    }
  }
}

/** Converts a failure of the engine. Recursion inside built-in functions may exceed the thread's stack. */
const breakdown = (fault: unknown): Failed =>
  fault instanceof RangeError && fault.message.includes('call stack')
    ? new Failed('too_deep', 'The script recurses too deeply')
    : new Failed('crashed', `The sandbox broke down: ${fault instanceof Error ? fault.message : String(fault)}`);
