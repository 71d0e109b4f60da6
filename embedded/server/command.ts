import { ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';
import { TYPE } from '../bson/wire';
import { decode } from '../bson/decode';
import { type Element, elementBytes, elements, elementValue, validateBson } from '../store/raw-bson';
import type { Request } from './wire';

/**
 * A command as received: fields are located once and decoded on demand, so that the documents of an insert are never
 * decoded. Reading a field checks its type and fails with MongoDB's code.
 */
export class Command {
  readonly name: string;
  private readonly fields = new Map<string, Element>();
  private readonly body: Buffer;
  private readonly sequences: ReadonlyMap<string, Buffer[]>;

  /** @throws ServerError 22 for bytes that are not BSON, 9 for an empty command */
  constructor({ body, sequences, namespace }: Pick<Request, 'body' | 'sequences' | 'namespace'>) {
    validateBson(body);
    this.body = unwrapQuery(body, namespace);
    for (const element of elements(this.body)) this.fields.set(element.name, element);
    const first = this.fields.keys().next();
    if (first.done === true) throw new ServerError('FailedToParse', 'the command is empty');
    this.name = first.value;
    this.sequences = sequences;
    for (const name of sequences.keys())
      if (this.fields.has(name)) throw new ServerError('FailedToParse', `field ${name} is given twice`);
    this.namespace = namespace;
  }

  private readonly namespace: string | undefined;

  get db(): string {
    return this.namespace?.split('.')[0] ?? this.string('$db');
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  fieldNames(): Iterable<string> {
    return [...this.fields.keys(), ...this.sequences.keys()];
  }

  /** The decoded value, undefined when absent. */
  value(name: string): Maybe {
    const element = this.fields.get(name);
    return element === undefined ? undefined : elementValue(this.body, element);
  }

  /** The raw bytes of the whole command. */
  bytes(): Buffer {
    return this.body;
  }

  string(name: string): string {
    const value = this.value(name);
    if (typeof value !== 'string') throw wrongType(this.name, name, value, 'string');
    return value;
  }

  optionalString(name: string): string | undefined {
    return this.has(name) ? this.string(name) : undefined;
  }

  /** A document; null counts as absent, as in MongoDB. */
  doc(name: string): Doc | undefined {
    const value = this.value(name);
    if (value === undefined || value === null) return undefined;
    if (!isDoc(value)) throw wrongType(this.name, name, value, 'object');
    return value;
  }

  boolean(name: string, fallback = false): boolean {
    const value = this.value(name);
    if (value === undefined || value === null) return fallback;
    if (typeof value === 'boolean') return value;
    if (isNumeric(value)) return toDouble(value) !== 0;
    throw wrongType(this.name, name, value, 'bool');
  }

  /** A whole number that is not negative. */
  count(name: string): number | undefined {
    const number = this.integer(name);
    if (number !== undefined && number < 0)
      throw new ServerError(51024, `BSON field '${this.name}.${name}' value must be >= 0, actual value '${number}'`);
    return number;
  }

  integer(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined || value === null) return undefined;
    if (!isNumeric(value)) throw wrongType(this.name, name, value, 'number');
    return Math.trunc(toDouble(value));
  }

  array(name: string): Value[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw wrongType(this.name, name, value, 'array');
    return value;
  }

  /** Raw documents, from a document sequence or from an array in the body. */
  documents(name: string): Buffer[] | undefined {
    const sequence = this.sequences.get(name);
    if (sequence !== undefined) {
      for (const bytes of sequence) validateBson(bytes);
      return sequence;
    }
    const element = this.fields.get(name);
    if (element === undefined) return undefined;
    if (element.type !== TYPE.array) throw wrongType(this.name, name, this.value(name), 'array');
    const array = elementBytes(this.body, element);
    return elements(array).map((item) => {
      if (item.type !== TYPE.object) throw wrongType(this.name, `${name}.${item.name}`, null, 'object');
      return elementBytes(array, item) as Buffer;
    });
  }

  /** The same, decoded. */
  docs(name: string): Doc[] | undefined {
    return this.documents(name)?.map((bytes) => decode(bytes));
  }
}

/** Old handshakes wrap the command as {$query: {...}}. */
function unwrapQuery(body: Buffer, namespace: string | undefined): Buffer {
  if (namespace === undefined) return body;
  const first = elements(body)[0];
  if (first === undefined || (first.name !== '$query' && first.name !== 'query') || first.type !== TYPE.object)
    return body;
  return elementBytes(body, first) as Buffer;
}

const wrongType = (command: string, field: string, value: Maybe, wanted: string): ServerError =>
  value === undefined
    ? new ServerError(40414, `BSON field '${command}.${field}' is missing but a required field`)
    : new ServerError('TypeMismatch', `BSON field '${command}.${field}' is the wrong type, expected type '${wanted}'`);
