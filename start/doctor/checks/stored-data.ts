import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { storeFileFaults } from '../../../embedded';
import { type Check, type Finding, fault, note, ok } from '../finding';

const MIB = 1024 ** 2;
/** Maximum size for a check of all pages, which reads the whole file in a second or two. */
const MAX_FILE_BYTES = 256 * MIB;
/** Time limit for reading documents of a large store. */
const BUDGET_MS = 8_000;
const RESTORE = 'Restore a backup: docs/backup.md, "When the data file is damaged".';
/** Codes of MongoDB: MaxTimeMSExpired, NamespaceNotFound. */
const TIME_IS_OVER = 50;
const NOT_FOUND = 26;

/** The built-in store: checks pages, documents and indexes. */
export const storedData: Check = {
  name: 'stored data',
  needsDatabase: true,
  mend: RESTORE,
  async run({ config: { dataDir }, deployment }) {
    const found = await deployment.database();
    if (found.kind !== 'embedded') return [];
    return [...pages(join(dataDir, 'data.db')), ...(await documents(found.db, performance.now() + BUDGET_MS))];
  },
};

function pages(file: string): Finding[] {
  const { size } = statSync(file);
  if (size > MAX_FILE_BYTES)
    return [
      note(
        `${file} has ${Math.ceil(size / MIB)} MiB, too large to check every page here`,
        'npm run backup -- DIR checks all of them.',
      ),
    ];
  const faults = storeFileFaults(file, 3);
  if (faults.length > 0) return faults.map((text) => fault(`${file} is damaged: ${text}`, RESTORE));
  return [ok(`every page of ${file} can be read`)];
}

async function documents(db: Db, until: number): Promise<Finding[]> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  const findings: Finding[] = [];
  let checked = 0;
  for (const name of names) {
    const maxTimeMS = Math.floor(until - performance.now());
    if (maxTimeMS < 1) break;
    try {
      const { valid, errors } = (await db.command({ validate: name, maxTimeMS })) as {
        valid: boolean;
        errors: string[];
      };
      checked++;
      if (!valid) findings.push(fault(`the collection ${name} is damaged: ${errors[0]}`, RESTORE));
    } catch (cause) {
      const { code } = cause as { code?: unknown };
      if (code === TIME_IS_OVER) break;
      // Dropped after the list was made.
      if (code !== NOT_FOUND) throw cause;
      checked++;
    }
  }
  if (checked < names.length)
    findings.push(
      note(
        `${checked} of ${names.length} collections were read within the time limit`,
        'npm run backup -- DIR reads all.',
      ),
    );
  return findings.length > 0 ? findings : [ok(`all documents of ${names.length} collections can be read`)];
}
