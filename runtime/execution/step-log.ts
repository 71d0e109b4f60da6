import type { Clock } from '../../lib/clock';
import { type Json, jsonSize } from '../../lib/json';
import type { StepLine } from '../core/entries/entry';

const MAX_LINES = 200;
const MAX_LINE_CHARS = 1_000;

/** Log lines of one attempt, kept for step tests. */
export class StepLog {
  readonly #lines: StepLine[] = [];

  constructor(private readonly clock: Clock) {}

  get lines(): StepLine[] {
    return [...this.#lines];
  }

  add(level: StepLine['level'], message: string, data?: Json): void {
    if (this.#lines.length >= MAX_LINES) return;
    const kept = data === undefined || jsonSize(data) > MAX_LINE_CHARS ? {} : { data };
    this.#lines.push({ at: this.clock.now(), level, message: message.slice(0, MAX_LINE_CHARS), ...kept });
  }
}
