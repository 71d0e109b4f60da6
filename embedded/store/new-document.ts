import { randomBytes } from 'node:crypto';
import { ServerError } from '../bson/error';
import { ObjectId } from '../bson/value';
import { TYPE } from '../bson/wire';
import { type Element, elements } from './raw-bson';

const ID_NAME = Buffer.from('_id\0', 'latin1');
const MACHINE = randomBytes(5);
let counter = randomBytes(3).readUIntBE(0, 3);

/** A fresh ObjectId: seconds, five random bytes of this process, a counter. */
function newObjectId(): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(Date.now() / 1000));
  MACHINE.copy(bytes, 4);
  counter = (counter + 1) & 0xffffff;
  bytes.writeUIntBE(counter, 9, 3);
  return new ObjectId(bytes.toString('hex'));
}

const startsWithId = (bytes: Buffer): boolean => bytes.length > 9 && bytes.readUInt32BE(5) === 0x5f696400;

/**
 * A document ready to be stored: its `_id` is the first field, made if there is none.
 * @throws ServerError 53 for an _id that is an array, regular expression or undefined, 52 for `$` names inside it
 */
export function withIdFirst(bytes: Buffer): Buffer {
  if (startsWithId(bytes)) {
    checkIdType(bytes, bytes[4] as number, 9);
    return bytes;
  }
  const id = elements(bytes).find(({ name }) => name === '_id');
  if (id === undefined) return prepend(bytes, generatedId());
  checkIdType(bytes, id.type, id.start);
  return moveToFront(bytes, id);
}

function generatedId(): Buffer {
  return Buffer.concat([Buffer.of(TYPE.objectId), ID_NAME, Buffer.from(newObjectId().hex, 'hex')]);
}

function prepend(bytes: Buffer, element: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length + element.length);
  out.writeInt32LE(out.length, 0);
  element.copy(out, 4);
  bytes.copy(out, 4 + element.length, 4);
  return out;
}

function moveToFront(bytes: Buffer, id: Element): Buffer {
  const start = id.start - ID_NAME.length - 1;
  const without = Buffer.concat([bytes.subarray(0, start), bytes.subarray(id.end)]);
  return prepend(without, bytes.subarray(start, id.end));
}

function checkIdType(bytes: Buffer, type: number, at: number): void {
  if (type === TYPE.array || type === TYPE.regex || type === TYPE.undefined)
    throw new ServerError('InvalidIdField', "The '_id' value cannot be of type array, regex or undefined");
  if (type !== TYPE.object) return;
  for (const { name } of elements(bytes, at))
    if (name.startsWith('$'))
      throw new ServerError(
        'DollarPrefixedFieldName',
        `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`,
      );
}
