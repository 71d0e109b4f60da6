import { ServerError } from '../../bson/error';
import { isNumeric, toDouble } from '../../bson/numeric';
import { type Doc, isDoc, type Value } from '../../bson/value';
import type { Collection } from '../../store/collection';
import { checkIndexSpec, type Index, isIdPattern } from '../../store/index-spec';
import type { Task } from '../../store/task';
import type { CommandTable, Context } from '../context';
import { ok, type Reply } from '../reply';
import { truthy } from '../statements';
import { checkValidatorOptions, existing, KEPT_OPTIONS, refusedOption } from './collections';

const COLLMOD_FIELDS = new Set([
  'index',
  'validator',
  'validationLevel',
  'validationAction',
  'changeStreamPreAndPostImages',
  'expireAfterSeconds',
  'viewOn',
  'pipeline',
  'dryRun',
  'cappedSize',
  'cappedMax',
  'timeseries',
]);

function* collMod(context: Context): Task<Reply> {
  const { command, store } = context;
  const collection = existing(context);
  for (const name of command.fieldNames())
    if (
      [
        'changeStreamPreAndPostImages',
        'expireAfterSeconds',
        'viewOn',
        'pipeline',
        'cappedSize',
        'cappedMax',
        'timeseries',
      ].includes(name)
    )
      throw refusedOption(name);
  const options = new Map(collection.options);
  for (const name of KEPT_OPTIONS) {
    const value = command.value(name);
    if (value !== undefined) options.set(name, value);
  }
  checkValidatorOptions(options);
  const reply = ok();
  const index = command.doc('index');
  if (index !== undefined) modifyIndex(collection, index, reply);
  collection.options = options;
  store.catalog.save(collection);
  return reply;
}

function modifyIndex(collection: Collection, given: Doc, reply: Doc): void {
  const index = findIndex(collection, given.get('name') ?? given.get('keyPattern') ?? null);
  if (index === undefined) throw new ServerError('IndexNotFound', 'cannot find index for collMod');
  const spec = new Map(index.spec);
  for (const [option, value] of given) {
    if (option === 'name' || option === 'keyPattern') continue;
    if (option !== 'expireAfterSeconds' && option !== 'hidden')
      throw new ServerError('InvalidOptions', `index option cannot be changed: ${option}`);
    if (option === 'hidden' && index.name === '_id_') throw new ServerError('BadValue', 'cannot hide the _id index');
    reply.set(`${option}_old`, spec.get(option) ?? false).set(`${option}_new`, value);
    if (option === 'hidden' && !truthy(value)) spec.delete(option);
    else spec.set(option, value);
  }
  const checked = checkIndexSpec(spec);
  index.spec = checked;
  index.hidden = checked.get('hidden') === true;
  const seconds = checked.get('expireAfterSeconds');
  index.expireAfterSeconds = isNumeric(seconds) ? toDouble(seconds) : undefined;
}

/** The index of a name or key pattern. */
export function findIndex(collection: Collection, wanted: Value): Index | undefined {
  if (typeof wanted === 'string') return collection.indexes.find(({ name }) => name === wanted);
  if (!isDoc(wanted)) return undefined;
  if (isIdPattern(wanted)) return collection.indexes[0];
  return collection.indexes.find((index) => samePattern(index, wanted));
}

/** The same fields in the same order and directions. */
export function samePattern(index: Index, pattern: Doc): boolean {
  const wanted = [...pattern];
  return (
    wanted.length === index.fields.length &&
    wanted.every(([path, direction], i) => {
      const field = index.fields[i];
      return field?.path === path && isNumeric(direction) && toDouble(direction) < 0 === field.descending;
    })
  );
}

export const COLL_MOD: CommandTable = {
  collMod: { kind: 'write', fields: COLLMOD_FIELDS, run: collMod },
};
