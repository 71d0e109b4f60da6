import { sha256 } from '../../lib/crypto';
import type { Json, JsonObject } from '../../lib/json';
import type { Entry } from './entry';

/** Longest text of an entry that stays in the journal; bigger values go aside, by the hash of their text. */
export const INLINE_LIMIT = 128 * 1024;

/** A value that has left its entry. */
export interface Payload {
  readonly hash: string;
  readonly json: string;
}

/** Entries as the members of a JSON list, without its brackets, and what had to leave them. */
export interface Encoded {
  readonly text: string;
  readonly count: number;
  readonly payloads: readonly Payload[];
}

/**
 * Longest text of the entries of one decision with values inline. Beyond (a retry that takes over hundreds of outputs),
 * all values leave: they are one record, and a record must fit into a document of 16 MiB.
 */
const DECISION_LIMIT = 2 * 1024 * 1024;

/** Members of an entry that can grow with what users put in, and the member that stands for each that is kept aside. */
const BIG = { input: 'input_ref', output: 'output_ref', opening: 'opening_ref', value: 'value_ref' } as const;
const MEMBERS = Object.keys(BIG) as (keyof typeof BIG)[];

/** The entries of one decision as text. @throws TypeError for what is no JSON */
export function encodeDecision(entries: readonly Entry[]): Encoded {
  const texts = entries.map((entry) => JSON.stringify(entry));
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const limit = total > DECISION_LIMIT ? 0 : INLINE_LIMIT;
  const payloads: Payload[] = [];
  const slim = entries.map((entry, index) => {
    const text = texts[index] as string;
    return text.length <= limit ? text : slimmed(entry, payloads);
  });
  return { text: slim.join(','), count: entries.length, payloads };
}

/** The text of an entry whose values were moved to `payloads`: all of them, one rule, no measuring twice. */
function slimmed(entry: Entry, payloads: Payload[]): string {
  const slim: Record<string, unknown> = { ...entry };
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

/** The entries of records as they were, with values kept aside fetched by `load`. @throws Error when one is missing. */
export async function decodeEntries(
  texts: readonly string[],
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Entry[]> {
  const entries = texts.flatMap((text) => JSON.parse(text) as Record<string, unknown>[]);
  const hashes = entries
    .flatMap((entry) => MEMBERS.map((member) => entry[BIG[member]]))
    .filter((ref) => typeof ref === 'string');
  const aside = hashes.length === 0 ? new Map<string, string>() : await load(hashes);
  for (const entry of hashes.length === 0 ? [] : entries) restore(entry, aside);
  // Written by `encodeEntry` alone; histories are never taken from outside.
  return entries as unknown as Entry[];
}

function restore(entry: Record<string, unknown>, aside: ReadonlyMap<string, string>): void {
  for (const member of MEMBERS) {
    const ref = entry[BIG[member]];
    if (typeof ref !== 'string') continue;
    const json = aside.get(ref);
    if (json === undefined) throw new Error(`The payload ${ref} of a journal entry is missing`);
    entry[member] = JSON.parse(json) as Json | JsonObject;
    delete entry[BIG[member]];
  }
}
