import { existsSync } from 'node:fs';
import type { Config } from '../../../lib/config';
import { ConfigError } from '../../../lib/config';
import { keyFilePath } from '../../../lib/key-file';
import { masterKeyId } from '../../../lib/keyring';
import { type Keys, loadKeys } from '../../../lib/keys';
import { missingKeys } from '../../../lib/keys-config';
import { judgeMaster } from '../../../lib/master-key';
import { MASTER_RECORDS } from '../../../mixins/keys/master';
import { type Check, type Finding, fault, note, ok, type Patient, warning } from '../finding';

/** Fewer different bytes than that are not by chance: 32 random ones have 30 on average. */
const FEW_BYTES = 12;
const MAKE = 'Make one with: openssl rand -base64 32; docs/keys.md says how it takes the place of the old one.';

/** Keys: strong, different, and kept apart from the data. */
export const keys: Check = {
  name: 'keys',
  mend: 'Restore the keys from where they are kept, see docs/keys.md.',
  async run({ config }) {
    if (!areThere(config)) return [ok('the first start makes those that are missing')];
    const loaded = read(config);
    return Array.isArray(loaded) ? loaded : [...strength(loaded), ...places(config)];
  },
};

/** Whether the data can be read with them. */
export const sealedUnder: Check = {
  name: 'keys of data',
  needsDatabase: true,
  mend: keys.mend,
  async run(patient) {
    const recorded = await recordedIds(patient);
    if (!areThere(patient.config)) return [unmade(recorded)];
    const loaded = read(patient.config);
    return Array.isArray(loaded) ? [] : [onRecord(recorded, loaded)];
  },
};

/** Loading would make those that are missing. */
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
  if (recorded.length === 0) return ok('nothing is sealed yet');
  return fault(
    `there are no keys, but the data is sealed under ${recorded.at(-1)}`,
    'Restore keys.json, or set MASTER_KEY to that key: without it no secret can be read.',
  );
}

/** What can be told of keys by looking at them. Pure. */
export function strength({ master, jwt, principal, previous }: Keys): Finding[] {
  const named: [string, Buffer][] = [
    ['MASTER_KEY', master],
    ['PRINCIPAL_KEY', principal],
    ...(jwt.kind === 'secret' ? [['JWT_SECRET', jwt.secret] as [string, Buffer]] : []),
  ];
  const found: Finding[] = named
    .filter(([, key]) => new Set(key).size < FEW_BYTES)
    .map(([name]) => fault(`${name} is not random`, MAKE));
  const same = named.filter(([, key], at) => named.findIndex(([, other]) => other.equals(key)) < at);
  found.push(...same.map(([name]) => fault(`${name} is the same as another key`, MAKE)));
  if (found.length === 0) found.push(ok('they look random, and differ'));
  const old = previous.master.length + previous.jwt.length + previous.principal.length;
  if (old > 0)
    found.push(
      note(
        `${old} former keys are still accepted`,
        'Drop them when GET /api/v1/system/keys says "done", see docs/keys.md.',
      ),
    );
  return found;
}

function places({ keys: texts, dataDir, production }: Config): Finding[] {
  const missing = missingKeys(texts);
  if (missing.length === 0) return [];
  const what = `${missing.join(', ')} lie in ${keyFilePath(dataDir)}, beside the data`;
  const mend = 'Set them as variables, so that who takes the data does not have the keys as well.';
  return [production ? warning(what, mend) : note(what, mend)];
}

function onRecord(recorded: readonly string[], { master, previous }: Keys): Finding {
  const verdict = judgeMaster(recorded, masterKeyId(master), previous.master.map(masterKeyId));
  switch (verdict.kind) {
    case 'first':
      return ok('nothing is sealed yet');
    case 'current':
      return ok('MASTER_KEY is the one that the data is sealed under');
    case 'rotate':
      return note('MASTER_KEY is new: the next start seals everything under it');
    case 'retired':
      return warning('MASTER_KEY is one of before the rotation', `Set it to the key ${verdict.current}.`);
    case 'refused':
      return fault(verdict.why, keys.mend);
  }
}

async function recordedIds({ deployment }: Patient): Promise<string[]> {
  const found = await deployment.database();
  if (found.kind === 'absent') return [];
  const record = await found.db
    .collection<{ _id: string; keys: { id: string }[] }>(MASTER_RECORDS)
    .findOne({ _id: 'master' });
  return (record?.keys ?? []).map(({ id }) => id);
}
