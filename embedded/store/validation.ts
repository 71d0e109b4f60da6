import { decode } from '../bson/decode';
import { ServerError } from '../bson/error';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compileFilter } from '../query/matcher';
import type { Collection } from './collection';
import { idOf } from './records';

const compiled = new WeakMap<Doc, (document: Doc) => boolean>();

function matcherOf(validator: Doc): (document: Doc) => boolean {
  let matches = compiled.get(validator);
  if (matches === undefined) compiled.set(validator, (matches = compileFilter(validator)));
  return matches;
}

/**
 * Checks a document against its collection's validator. `previous` is the document it replaces: at the level
 * `moderate` documents that were invalid before may stay so.
 * @throws ServerError 121 (DocumentValidationFailure) with errInfo
 */
export function checkValidator(collection: Collection, next: Buffer, previous?: Buffer): void {
  const { options } = collection;
  const validator = options.get('validator');
  if (!isDoc(validator) || validator.size === 0) return;
  const level = options.get('validationLevel') ?? 'strict';
  if (level === 'off' || options.get('validationAction') === 'warn') return;
  const matches = matcherOf(validator);
  if (matches(decode(next))) return;
  if (level === 'moderate' && previous !== undefined && !matches(decode(previous))) return;
  throw new ServerError('DocumentValidationFailure', 'Document failed validation', {
    errInfo: new Map<string, Value>([
      ['failingDocumentId', idOf(next)],
      [
        'details',
        new Map<string, Value>([
          ['operatorName', [...validator.keys()][0] ?? ''],
          ['specifiedAs', validator],
        ]),
      ],
    ]),
  });
}
