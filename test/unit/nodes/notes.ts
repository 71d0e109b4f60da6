import type { Json } from '../../../lib/json';
import type { NodeContext, SubStepResult } from '../../../nodes/contract';

/** Parts of a step on record, as a run keeps them from one attempt to the next. */
export class Notes {
  readonly #values = new Map<string, Json>();
  readonly #begun = new Set<string>();
  /** Keys whose parts have been done, in order, as often as they were. */
  readonly done: string[] = [];
  readonly used: NonNullable<SubStepResult['usage']>[] = [];

  readonly once: NodeContext['once'] = async (key, act, interrupted) => {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const again = this.#begun.has(key) && interrupted !== undefined;
    this.#begun.add(key);
    const noted = again ? interrupted() : await act();
    if (!again) this.done.push(key);
    if (noted.usage !== undefined) this.used.push(noted.usage);
    return this.note(key, noted.value);
  };

  readonly noted: NodeContext['checkpoint'] = (key) => this.#values.get(key);

  /** Puts a value on record, as the end of a wait does; answers it as it comes back from there. */
  note(key: string, value: Json): Json {
    const recorded = JSON.parse(JSON.stringify(value)) as Json;
    this.#values.set(key, recorded);
    return recorded;
  }

  /** As after a crash in the middle of a part. */
  begin(key: string): void {
    this.#begun.add(key);
  }
}
