/** The log lines of one run on this host. Owns: their limits, and when they are stored. Does not own: their redaction. */
import type { Clock } from '../../lib/clock';
import { type Json, jsonSize } from '../../lib/json';
import type { StepLine } from '../core/entries/entry';
import type { LoggedLine, LogSize, LogStore } from '../ports/log-store';

/** Limits of the lines that are kept. A further line says that others were left out. */
export const LOG_LIMITS = {
  lineChars: 4_000,
  attemptLines: 1_000,
  runLines: 10_000,
  runChars: 2 * 1024 * 1024,
} as const;

/** Lines are stored after this time, or once there are so many characters of them. */
const FLUSH_AFTER_MS = 250;
const FLUSH_CHARS = 64 * 1024;
const APPEND_TRIES = 3;

interface RunLogDeps {
  readonly logs: LogStore;
  readonly clock: Clock;
  readonly executionId: string;
  readonly mayWrite: () => boolean;
  /** There are new lines for readers. */
  readonly onStored: () => void;
  readonly onFault: (fault: unknown) => void;
}

export class RunLog {
  #waiting: LoggedLine[] = [];
  #chars = 0;
  /** Null until it is read. */
  #size: LogSize | null = null;
  #full = false;
  #flushing: Promise<void> | null = null;
  #timer: (() => void) | null = null;
  /** Lines by attempt, of attempts in flight. */
  readonly #counts = new Map<string, number>();

  constructor(private readonly deps: RunLogDeps) {}

  /** `message` and `data` are redacted. */
  add(path: string, attempt: number, level: StepLine['level'], message: string, data?: Json): void {
    const key = `${path}#${attempt}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (this.#full || count > LOG_LIMITS.attemptLines + 1) return;
    if (count > LOG_LIMITS.attemptLines) return this.#keep(path, attempt, LEFT_OUT);
    const kept = data === undefined || jsonSize(data, LOG_LIMITS.lineChars) > LOG_LIMITS.lineChars ? {} : { data };
    this.#keep(path, attempt, { level, message: shortened(message), ...kept });
  }

  /** Stores the lines of an attempt that has ended. A failure is reported, and the lines are tried again with the next ones. */
  async attemptEnded(path: string, attempt: number): Promise<void> {
    if (!this.#counts.delete(`${path}#${attempt}`)) return;
    await this.#flush();
  }

  #keep(path: string, attempt: number, line: Omit<StepLine, 'at'>): void {
    this.#waiting.push({ at: this.deps.clock.now(), path, attempt, ...line });
    this.#chars += sizeOf(line);
    if (this.#chars >= FLUSH_CHARS) void this.#flush();
    else this.#timer ??= this.deps.clock.after(FLUSH_AFTER_MS, () => void this.#flush());
  }

  #flush(): Promise<void> {
    this.#timer?.();
    this.#timer = null;
    this.#flushing ??= this.#storeAll()
      .catch(this.deps.onFault)
      .finally(() => {
        this.#flushing = null;
      });
    return this.#flushing;
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.length > 0 && this.deps.mayWrite()) {
      const lines = this.#waiting;
      [this.#waiting, this.#chars] = [[], 0];
      try {
        await this.#store(lines);
      } catch (fault) {
        // Not more than a flush of them: while the store is away, a run must not fill the memory.
        this.#waiting = [...lines, ...this.#waiting].slice(0, LOG_LIMITS.attemptLines);
        throw fault;
      }
    }
  }

  async #store(lines: readonly LoggedLine[]): Promise<void> {
    const { logs, executionId, onStored } = this.deps;
    for (let tries = 0; tries < APPEND_TRIES; tries++) {
      const size: LogSize = this.#size ?? (await logs.sizeOf(executionId));
      const fitting = this.#fitting(lines, size);
      if (fitting.length === 0) return;
      const stored = size.chars + fitting.reduce((sum, line) => sum + sizeOf(line), 0);
      // A full log stays full for other hosts.
      const chars = this.#full ? LOG_LIMITS.runChars + 1 : stored;
      const next = { n: size.n + 1, lines: size.lines + fitting.length, chars };
      const isStored = await logs.append({ executionId, size: next, lines: fitting });
      // Another host has owned the run meanwhile, or an answer was lost.
      this.#size = isStored ? next : null;
      if (isStored) return onStored();
    }
  }

  /** The lines that fit into the log; the last one says when others do not. */
  #fitting(lines: readonly LoggedLine[], { lines: stored, chars: storedChars }: LogSize): LoggedLine[] {
    const fitting: LoggedLine[] = [];
    let chars = storedChars;
    for (const line of lines) {
      chars += sizeOf(line);
      if (stored + fitting.length < LOG_LIMITS.runLines && chars <= LOG_LIMITS.runChars) {
        fitting.push(line);
        continue;
      }
      this.#full = true;
      const isNew = stored <= LOG_LIMITS.runLines && storedChars <= LOG_LIMITS.runChars;
      return isNew ? [...fitting, { ...line, ...RUN_FULL, data: undefined }] : fitting;
    }
    return fitting;
  }
}

const LEFT_OUT: Omit<StepLine, 'at'> = {
  level: 'warn',
  message: `This attempt wrote more than ${LOG_LIMITS.attemptLines} lines; the others are left out`,
};
const RUN_FULL: Omit<StepLine, 'at'> = {
  level: 'warn',
  message: `The log of this run is full (${LOG_LIMITS.runLines} lines or 2 MiB); further lines are left out`,
};

const shortened = (text: string): string =>
  text.length > LOG_LIMITS.lineChars ? `${text.slice(0, LOG_LIMITS.lineChars - 1)}…` : text;

const sizeOf = ({ message, data }: Pick<StepLine, 'message' | 'data'>): number =>
  message.length + (data === undefined ? 0 : jsonSize(data));
