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

/** An entry as text, and what had to leave it. */
export interface Encoded {
  readonly text: string;
  readonly payloads: readonly Payload[];
}

/** Members of an entry that users fill, and the member that stands for each when it is kept aside. */
const BIG = { input: 'input_ref', output: 'output_ref' } as const;
const MEMBERS = Object.keys(BIG) as (keyof typeof BIG)[];

/** The text of an entry. Short values that ride with a big one are moved too: one rule, no measuring twice. */
export function encodeEntry(entry: Entry): Encoded {
  const text = JSON.stringify(entry);
  if (text.length <= INLINE_LIMIT) return { text, payloads: [] };
  const slim: Record<string, unknown> = { ...entry };
  const payloads: Payload[] = [];
  for (const member of MEMBERS) {
    if (!(member in entry)) continue;
    const json = JSON.stringify(slim[member]);
    delete slim[member];
    const hash = sha256(json);
    slim[BIG[member]] = hash;
    payloads.push({ hash, json });
  }
  return { text: JSON.stringify(slim), payloads };
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
