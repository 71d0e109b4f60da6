import { sha256 } from '../../../lib/crypto';
import { notePreparedJson, preparedJson } from '../../../lib/json/prepared';
import { NO_LIMITS } from '../../../lib/json/limits';
import { parseJsonSliced } from '../../../lib/json/parse-sliced';
import type { Entry } from './entry';
import { isProgress } from './survey';

/** A longer entry is stored without its values; these become payloads, keyed by their hash. */
export const MAX_INLINE_CHARS = 128 * 1024;

/** A value stored outside its entry. */
interface Payload {
  readonly hash: string;
  readonly json: string;
}

/** Encoded entries: the items of a JSON list without its brackets, and their payloads. */
export interface Encoded {
  readonly text: string;
  readonly count: number;
  /** At least one entry is more than an intent. */
  readonly progress: boolean;
  readonly payloads: readonly Payload[];
}

/**
 * Size limit of a decision with inline values. Above it (a repeat that reuses hundreds of outputs), all values become
 * payloads: a decision is one record, which must fit into a document of 16 MiB.
 */
const MAX_DECISION_CHARS = 2 * 1024 * 1024;

/** Members of an entry with user data, and the member that refers to each when it is stored as a payload. */
const BIG = { input: 'input_ref', output: 'output_ref', opening: 'opening_ref', value: 'value_ref' } as const;
const MEMBERS = Object.keys(BIG) as (keyof typeof BIG)[];

/** Encodes the entries of one decision. @throws TypeError for a value that is not JSON */
export function encodeDecision(entries: readonly Entry[]): Encoded {
  const payloads: Payload[] = [];
  const slimmer = entries.map((entry) => withoutPrepared(entry, payloads));
  const texts = slimmer.map((entry) => JSON.stringify(entry));
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const limit = total > MAX_DECISION_CHARS ? 0 : MAX_INLINE_CHARS;
  const slim = slimmer.map((entry, index) => {
    const text = texts[index] as string;
    return text.length <= limit ? text : slimmed(entry, payloads);
  });
  return { text: slim.join(','), count: entries.length, progress: entries.some(isProgress), payloads };
}

/** Moves values whose JSON is already written to `payloads`, as writing it again takes long. */
function withoutPrepared(entry: Entry, payloads: Payload[]): Record<string, unknown> {
  let slim: Record<string, unknown> = entry;
  for (const member of MEMBERS) {
    const known = preparedJson(slim[member]);
    if (known === undefined) continue;
    slim = { ...slim, [BIG[member]]: known.hash };
    delete slim[member];
    payloads.push(known);
  }
  return slim;
}

/** Moves all values of an entry to `payloads` and returns its text. */
function slimmed(entry: Record<string, unknown>, payloads: Payload[]): string {
  const slim = { ...entry };
  for (const member of MEMBERS) {
    if (slim[member] === undefined) continue;
    const json = JSON.stringify(slim[member]);
    delete slim[member];
    const hash = sha256(json);
    slim[BIG[member]] = hash;
    payloads.push({ hash, json });
  }
  return JSON.stringify(slim);
}

/**
 * Decodes records; `load` fetches payloads. `pause` is called before each record and value, and returns a promise when
 * other work must run first. @throws Error when a payload is missing
 */
export async function decodeEntries(
  texts: readonly string[],
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  pause: () => Promise<void> | null = () => null,
): Promise<Entry[]> {
  const entries: Record<string, unknown>[] = [];
  for (const text of texts) {
    for (let wait = pause(); wait !== null; wait = pause()) await wait;
    for (const entry of JSON.parse(text) as Record<string, unknown>[]) entries.push(entry);
  }
  const hashes = entries
    .flatMap((entry) => MEMBERS.map((member) => entry[BIG[member]]))
    .filter((ref) => typeof ref === 'string');
  const aside = hashes.length === 0 ? new Map<string, string>() : await load(hashes);
  for (const entry of hashes.length === 0 ? [] : entries) {
    for (let wait = pause(); wait !== null; wait = pause()) await wait;
    await restore(entry, aside);
  }
  // Records are written by `encodeDecision` alone, so the cast is safe.
  return entries as unknown as Entry[];
}

async function restore(entry: Record<string, unknown>, aside: ReadonlyMap<string, string>): Promise<void> {
  for (const member of MEMBERS) {
    const ref = entry[BIG[member]];
    if (typeof ref !== 'string') continue;
    const json = aside.get(ref);
    if (json === undefined) throw new Error(`The payload ${ref} of a journal entry is missing`);
    const value = await parseJsonSliced(json, NO_LIMITS);
    notePreparedJson(value, { json, hash: ref });
    entry[member] = value;
    delete entry[BIG[member]];
  }
}
