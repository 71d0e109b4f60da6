import { canonicalJson, type Json } from '../../lib/json';
import { type Finding, fault, note, ok, warning } from './finding';

/** An index, reduced to the properties that define it. */
interface Index {
  readonly name: string;
  readonly unique: boolean;
  /** Keys and options as text. */
  readonly text: string;
}

/** Indexes of each collection. */
export type Indexes = ReadonlyMap<string, readonly Index[]>;

/** Options that define an index. Servers report more, and not all the same. */
const OPTIONS = ['unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds', 'collation', 'hidden'] as const;

/** Converts a result of listIndexes. Pure. */
export function indexOf(described: { readonly name?: string; readonly [key: string]: unknown }): Index {
  const options = OPTIONS.flatMap((option) => {
    const value = described[option];
    const usual = value === undefined || value === false || (option === 'collation' && isSimple(value));
    return usual ? [] : [[option, value] as const];
  });
  // The order of an index's keys matters; that of its options does not.
  const whole = { key: Object.entries(described.key as object), ...Object.fromEntries(options) };
  return {
    name: described.name ?? '',
    unique: described.unique === true,
    text: canonicalJson(JSON.parse(JSON.stringify(whole)) as Json),
  };
}

const isSimple = (collation: unknown): boolean => (collation as { locale?: unknown }).locale === 'simple';

/** Compares existing with wanted indexes, for collections that exist. Pure. */
export function compareIndexes(wanted: Indexes, there: Indexes): Finding[] {
  const found: Finding[] = [];
  for (const [collection, list] of wanted) {
    const present = there.get(collection);
    // A collection without documents: the next start creates the index.
    if (present === undefined) continue;
    for (const index of list) {
      const same = present.find(({ name }) => name === index.name);
      const place = `${collection}.${index.name}`;
      if (same === undefined) found.push(missing(place, index));
      else if (same.text !== index.text)
        found.push(
          fault(
            `${place} differs from this version's definition`,
            `Drop it (db.${collection}.dropIndex("${index.name}")) and restart a process, which recreates it.`,
          ),
        );
    }
    const foreign = present.filter(({ name }) => !list.some((index) => index.name === name));
    for (const { name } of foreign)
      found.push(
        note(
          `${collection}.${name} is not used by this version`,
          'Drop it once no older version runs, unless you created it: it slows down every write.',
        ),
      );
  }
  return found.length > 0 ? found : [ok(`the indexes of ${wanted.size} collections match this version`)];
}

const missing = (place: string, { unique }: Index): Finding =>
  unique
    ? fault(
        `${place} is missing; it prevents duplicates`,
        'Restart a process, which creates it; if that fails, its log names the duplicates.',
      )
    : warning(`${place} is missing`, 'Restart a process, which creates it.');
