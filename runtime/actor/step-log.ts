import { type Json, jsonSize } from '../../lib/json';
import type { StepLine } from '../record/entry';

const MOST_LINES = 200;
const MOST_CHARACTERS = 1_000;

/** The lines that one attempt writes into the log, as far as they are kept: in tests of steps people want to see them. */
export class StepLog {
  readonly #lines: StepLine[] = [];

  constructor(private readonly now: () => number) {}

  get lines(): StepLine[] {
    return [...this.#lines];
  }

  add(level: StepLine['level'], message: string, data?: Json): void {
    if (this.#lines.length >= MOST_LINES) return;
    const kept = data === undefined || jsonSize(data) > MOST_CHARACTERS ? {} : { data };
    this.#lines.push({ at: this.now(), level, message: message.slice(0, MOST_CHARACTERS), ...kept });
  }
}
