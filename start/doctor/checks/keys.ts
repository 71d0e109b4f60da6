import { existsSync } from 'node:fs';
import type { Config } from '../../../lib/config';
import { ConfigError } from '../../../lib/config';
import { keyFilePath } from '../../../lib/key-file';
import { masterKeyId } from '../../../lib/keyring';
import { type Keys, loadKeys } from '../../../lib/keys';
import { missingKeys } from '../../../lib/keys-config';
import { checkMasterKey } from '../../../lib/master-key';
import { MASTER_RECORDS } from '../../../lib/master-key-record';
import { type Check, type Finding, fault, note, ok, type CheckContext, warning } from '../finding';

/** A key with fewer distinct bytes is not random: 32 random bytes have 30 on average. */
const MIN_DISTINCT_BYTES = 12;
const MAKE = 'Make one with: openssl rand -base64 32; docs/keys.md describes how to rotate it.';

/** Keys: random, different, and stored apart from the data. */
export const keys: Check = {
  name: 'keys',
  mend: 'Restore the keys from their backup, see docs/keys.md.',
  async run({ config }) {
    if (!areThere(config)) return [ok('the first start creates the missing ones')];
    const loaded = read(config);
    return Array.isArray(loaded) ? loaded : [...strength(loaded), ...places(config)];
  },
};

/** Whether the keys can decrypt the data. */
export const sealedUnder: Check = {
  name: 'keys of data',
  needsDatabase: true,
  mend: keys.mend,
  async run(context) {
    const recorded = await recordedIds(context);
    if (!areThere(context.config)) return [unmade(recorded)];
    const loaded = read(context.config);
    return Array.isArray(loaded) ? [] : [onRecord(recorded, loaded)];
  },
};

/** Checked first, because loading would create missing keys. */
const areThere = ({ keys: texts, dataDir }: Config): boolean =>
  missingKeys(texts).length === 0 || existsSync(keyFilePath(dataDir));

function read(config: Config): Keys | Finding[] {
  try {
    return loadKeys(config.keys, config.dataDir).keys;
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause;
    return cause.faults.map((what) => fault(what, keys.mend));
  }
}

function unmade(recorded: readonly string[]): Finding {
  if (recorded.length === 0) return ok('nothing is encrypted yet');
  return fault(
    `there are no keys, but the data is encrypted with ${recorded.at(-1)}`,
    'Restore keys.json, or set MASTER_KEY to that key: without it no secret can be read.',
  );
}

/** Checks the keys by themselves. Pure. */
function strength({ master, jwt, principal, previous }: Keys): Finding[] {
  const named: [string, Buffer][] = [
    ['MASTER_KEY', master],
    ['PRINCIPAL_KEY', principal],
    ...(jwt.kind === 'secret' ? [['JWT_SECRET', jwt.secret] as [string, Buffer]] : []),
  ];
  const found: Finding[] = named
    .filter(([, key]) => new Set(key).size < MIN_DISTINCT_BYTES)
    .map(([name]) => fault(`${name} is not random`, MAKE));
  const same = named.filter(([, key], at) => named.findIndex(([, other]) => other.equals(key)) < at);
  found.push(...same.map(([name]) => fault(`${name} is the same as another key`, MAKE)));
  if (found.length === 0) found.push(ok('they look random and are different'));
  const old = previous.master.length + previous.jwt.length + previous.principal.length;
  if (old > 0)
    found.push(
      note(
        `${old} previous keys are still accepted`,
        'Drop them when GET /api/v1/system/keys says "done", see docs/keys.md.',
      ),
    );
  return found;
}

function places({ keys: texts, dataDir, production }: Config): Finding[] {
  const missing = missingKeys(texts);
  if (missing.length === 0) return [];
  const what = `${missing.join(', ')} are stored in ${keyFilePath(dataDir)}, beside the data`;
  const mend = 'Set them as environment variables, so that a copy of the data does not include the keys.';
  return [production ? warning(what, mend) : note(what, mend)];
}

function onRecord(recorded: readonly string[], { master, previous }: Keys): Finding {
  const verdict = checkMasterKey(recorded, masterKeyId(master), previous.master.map(masterKeyId));
  switch (verdict.kind) {
    case 'first':
      return ok('nothing is encrypted yet');
    case 'current':
      return ok('MASTER_KEY is the one that the data is encrypted with');
    case 'rotate':
      return note('MASTER_KEY is new: the next start re-encrypts everything with it');
    case 'retired':
      return warning('MASTER_KEY was rotated out', `Set it to the key ${verdict.current}.`);
    case 'refused':
      return fault(verdict.why, keys.mend);
  }
}

async function recordedIds({ deployment }: CheckContext): Promise<string[]> {
  const found = await deployment.database();
  if (found.kind === 'absent') return [];
  const record = await found.db
    .collection<{ _id: string; keys: { id: string }[] }>(MASTER_RECORDS)
    .findOne({ _id: 'master' });
  return (record?.keys ?? []).map(({ id }) => id);
}
