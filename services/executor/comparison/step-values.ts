import type { ComparedValue } from '../../../contracts/executions/comparison';
import type { Json } from '../../../lib/json';
import { NO_LIMITS } from '../../../lib/json/limits';
import { parseJsonSliced } from '../../../lib/json/parse-sliced';
import { runSliced } from '../../../lib/time-slices';
import type { StepEntry } from '../../../runtime/core/entries/entry';
import { redactPlaceholders } from '../../../runtime/core/secrets/secret-redactor';
import type { RunStore } from '../../../runtime/ports/run-store';
import { changesOf } from './json-changes';

/** Of longer values it is only known whether they differ. In characters of their JSON. */
const MAX_COMPARED_CHARS = 512 * 1024;

/** A value as the journal has it: in its entry, or as the hash of a payload. */
type StoredValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'payload'; readonly hash: string };

/** An entry as it is stored: large values are replaced by references to payloads. */
export type StoredEntry = StepEntry & {
  readonly input?: Json;
  readonly output?: Json;
  readonly input_ref?: string;
  readonly output_ref?: string;
};

/** The last input and output of a step. */
export interface StepValues {
  readonly input: StoredValue;
  readonly output: StoredValue;
}

const NONE: StoredValue = { kind: 'none' };

/** The last input and output among the entries of a step. Pure. */
export function valuesIn(entries: readonly StoredEntry[]): StepValues {
  let [input, output] = [NONE, NONE];
  for (const entry of entries) {
    input = stored(entry.input, entry.input_ref) ?? input;
    output = stored(entry.output, entry.output_ref) ?? output;
  }
  return { input, output };
}

function stored(value: Json | undefined, hash: string | undefined): StoredValue | null {
  if (hash !== undefined) return { kind: 'payload', hash };
  return value === undefined ? null : { kind: 'value', value };
}

/** A value of one of the runs. */
interface ValueOf {
  readonly executionId: string;
  readonly stored: StoredValue;
}

/** Compares stored values of two runs of a tenant. */
export class ValueComparer {
  /** Characters of the payloads that were read. */
  charsRead = 0;

  constructor(
    private readonly store: Pick<RunStore, 'getPayloads'>,
    private readonly tenantId: string,
    private readonly maxChanges: number,
  ) {}

  /** Null where neither run has a value. */
  async compare(a: ValueOf, b: ValueOf): Promise<ComparedValue | null> {
    const { stored: before } = a;
    const { stored: after } = b;
    if (before.kind === 'none' && after.kind === 'none') return null;
    if (before.kind === 'payload' && after.kind === 'payload' && before.hash === after.hash) return SAME;
    const [textA, textB] = [await this.#longText(a), await this.#longText(b)];
    if (textA !== null || textB !== null) return textA === textB ? SAME : DIFFERENT;
    return this.values(await this.#valueOf(a), await this.#valueOf(b));
  }

  /** Compares two values; undefined for none. */
  async values(a: Json | undefined, b: Json | undefined): Promise<ComparedValue> {
    const { changes, more } = await runSliced(changesOf(a, b, this.maxChanges), this.tenantId);
    return { same: changes.length === 0 && !more, changes, more };
  }

  /** The JSON of a payload that is too long to be compared member by member; null for any other value. */
  async #longText(of: ValueOf): Promise<string | null> {
    const json = await this.#payload(of);
    return json !== null && json.length > MAX_COMPARED_CHARS ? (redactPlaceholders(json) as string) : null;
  }

  async #valueOf(of: ValueOf): Promise<Json | undefined> {
    if (of.stored.kind === 'none') return undefined;
    if (of.stored.kind === 'value') return redactPlaceholders(of.stored.value);
    return redactPlaceholders(await parseJsonSliced((await this.#payload(of)) ?? 'null', NO_LIMITS));
  }

  readonly #payloads = new Map<string, string>();

  /** The two of a comparison are read once. */
  async #payload({ executionId, stored: value }: ValueOf): Promise<string | null> {
    if (value.kind !== 'payload') return null;
    const key = `${executionId} ${value.hash}`;
    const known = this.#payloads.get(key);
    if (known !== undefined) return known;
    const json = (await this.store.getPayloads(executionId, [value.hash])).get(value.hash);
    if (json === undefined) throw new Error(`The payload ${value.hash} of a journal entry is missing`);
    if (this.#payloads.size >= 2) this.#payloads.clear();
    this.#payloads.set(key, json);
    this.charsRead += json.length;
    return json;
  }
}

const SAME: ComparedValue = { same: true, changes: [], more: false };
const DIFFERENT: ComparedValue = { same: false, changes: [], more: true };
