import { canonicalJson, type Json } from '../../lib/json';
import { type Finding, fault, note, ok, warning } from './finding';

/** An index by what makes it that index. */
export interface Index {
  readonly name: string;
  readonly unique: boolean;
  /** Text of keys and options. */
  readonly text: string;
}

/** Indexes of each collection. */
export type Indexes = ReadonlyMap<string, readonly Index[]>;

/** What makes an index what it is. Servers tell more of them, and not each the same. */
const OPTIONS = ['unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds', 'collation', 'hidden'] as const;

/** An index as a server describes it (listIndexes). Pure. */
export function indexOf(described: { readonly name?: string; readonly [key: string]: unknown }): Index {
  const options = OPTIONS.flatMap((option) => {
    const value = described[option];
    const usual = value === undefined || value === false || (option === 'collation' && isSimple(value));
    return usual ? [] : [[option, value] as const];
  });
  // The order of the keys of an index matters, that of its options does not.
  const whole = { key: Object.entries(described.key as object), ...Object.fromEntries(options) };
  return {
    name: described.name ?? '',
    unique: described.unique === true,
    text: canonicalJson(JSON.parse(JSON.stringify(whole)) as Json),
  };
}

const isSimple = (collation: unknown): boolean => (collation as { locale?: unknown }).locale === 'simple';

/** What there is against what is wanted, of the collections that exist. Pure. */
export function compareIndexes(wanted: Indexes, there: Indexes): Finding[] {
  const found: Finding[] = [];
  for (const [collection, list] of wanted) {
    const present = there.get(collection);
    // One that nothing was written to yet: whoever starts makes it.
    if (present === undefined) continue;
    for (const index of list) {
      const same = present.find(({ name }) => name === index.name);
      const place = `${collection}.${index.name}`;
      if (same === undefined) found.push(missing(place, index));
      else if (same.text !== index.text)
        found.push(
          fault(
            `${place} is made otherwise than this version wants it`,
            `Drop it (db.${collection}.dropIndex("${index.name}")) and restart a process, which makes it anew.`,
          ),
        );
    }
    const foreign = present.filter(({ name }) => !list.some((index) => index.name === name));
    for (const { name } of foreign)
      found.push(
        note(
          `${collection}.${name} is none of this version's`,
          'Drop it when no older version runs any more, if it is not yours: it costs every write.',
        ),
      );
  }
  return found.length > 0 ? found : [ok(`those of ${wanted.size} collections are as this version wants them`)];
}

const missing = (place: string, { unique }: Index): Finding =>
  unique
    ? fault(
        `${place} is missing, which keeps things from being there twice`,
        'Restart a process, which makes it; if it refuses to, its log names what is there twice.',
      )
    : warning(`${place} is missing`, 'Restart a process, which makes it.');
