import { badValue, ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import type { Path } from '../bson/path';
import { type Doc, isDoc, type Maybe, Regex, UNDEFINED, type Value } from '../bson/value';
import { type BitsOperator, bitsTest } from './bits';
import {
  assertComparable,
  equalTo,
  inRange,
  matchesRegex,
  oneOf,
  type Predicate,
  type RangeOperator,
} from './comparison';
import { match } from './evaluate';
import { isOperatorDoc, type Node, type ParseContext, pathNode } from './node';
import { modTest, sizeTest, typeTest } from './valuetests';
import { NO, type Outcome, type Visit } from './walk';

/** An operator with its argument, siblings and path. */
interface Operand {
  name: string;
  path: Path;
  operators: Doc;
  operator: string;
  argument: Value;
  context: ParseContext;
}

type Parser = (operand: Operand) => Node[];

const elements = ({ path }: Operand, predicate: Predicate): Node[] => [pathNode(path, 'elements', predicate)];
const negated = (nodes: Node[]): Node[] => [
  { kind: 'not', child: nodes.length === 1 ? (nodes[0] as Node) : { kind: 'and', children: nodes } },
];

const range: Parser = (operand) => {
  assertComparable(operand.operator, operand.argument, operand.name);
  return elements(operand, inRange(operand.operator as RangeOperator, operand.argument));
};

const bits: Parser = (operand) => elements(operand, bitsTest(operand.operator as BitsOperator, operand.argument));

const OPERATORS = new Map<string, Parser>([
  ['$eq', (operand) => elements(operand, equality(operand))],
  [
    '$ne',
    (operand) => (
      assertComparable('$ne', operand.argument, operand.name), negated(elements(operand, equality(operand)))
    ),
  ],
  ['$gt', range],
  ['$gte', range],
  ['$lt', range],
  ['$lte', range],
  ['$in', (operand) => elements(operand, oneOf(listOf(operand)))],
  ['$nin', (operand) => negated(elements(operand, oneOf(listOf(operand))))],
  ['$not', (operand) => negated(negation(operand))],
  ['$exists', ({ path, argument }) => existence(path, argument)],
  ['$type', (operand) => elements(operand, typeTest(operand.argument, operand.name))],
  ['$all', all],
  ['$elemMatch', (operand) => [elemMatch(operand, operand.argument)]],
  ['$size', ({ path, argument }) => [pathNode(path, 'whole', sizeTest(argument))]],
  ['$mod', (operand) => elements(operand, modTest(operand.argument))],
  ['$regex', (operand) => elements(operand, regexTest(operand))],
  ['$options', ({ operators }) => requireRegex(operators)],
  ['$bitsAllSet', bits],
  ['$bitsAnySet', bits],
  ['$bitsAllClear', bits],
  ['$bitsAnyClear', bits],
]);

const REFUSED = new Set([
  '$near',
  '$nearSphere',
  '$geoWithin',
  '$geoIntersects',
  '$within',
  '$maxDistance',
  '$minDistance',
]);

/** The conditions of one operator document on a path. */
export function parseOperators(name: string, path: Path, operators: Doc, context: ParseContext): Node[] {
  return [...operators].flatMap(([operator, argument]) =>
    parseOperator({ name, path, operators, operator, argument, context }),
  );
}

/** @throws ServerError BadValue for an unknown operator, NotImplemented for the geospatial ones */
function parseOperator(operand: Operand): Node[] {
  const parser = OPERATORS.get(operand.operator);
  if (parser !== undefined) return parser(operand);
  if (operand.operator === '$where') throw badValue('$where cannot be applied to a field');
  if (REFUSED.has(operand.operator)) {
    throw new ServerError('NotImplemented', `${operand.operator} is not supported: there are no geospatial queries`);
  }
  throw badValue(`unknown operator: ${operand.operator}`);
}

/** `$eq` takes a regular expression as a plain value, unlike the implicit form. */
const equality = ({ argument }: Operand): Predicate => equalTo(argument);

function listOf({ operator, argument }: Operand): Value[] {
  if (!Array.isArray(argument)) throw badValue(`${operator} needs an array`);
  if (argument.some(isOperatorDoc)) throw badValue(`cannot nest $ under ${operator}`);
  return argument;
}

function negation(operand: Operand): Node[] {
  const { argument, name, path, context } = operand;
  if (argument instanceof Regex) return elements(operand, matchesRegex(argument.pattern, argument.options));
  if (!isDoc(argument)) throw badValue('$not argument must be a regex or an object');
  if (argument.size === 0) throw badValue('$not argument must be a non-empty object');
  return parseOperators(name, path, argument, context);
}

function existence(path: Path, argument: Value): Node[] {
  const present = pathNode(path, 'elements', (value) => value !== undefined);
  const wanted = !(argument === false || argument === null || (isNumeric(argument) && toDouble(argument) === 0));
  return wanted && argument !== UNDEFINED ? [present] : [{ kind: 'not', child: present }];
}

function all(operand: Operand): Node[] {
  const { argument, path } = operand;
  if (!Array.isArray(argument)) throw badValue('$all needs an array');
  if (argument.length === 0) return [{ kind: 'constant', value: false }];
  const isElemMatch = (entry: Value): entry is Doc => isDoc(entry) && entry.keys().next().value === '$elemMatch';
  const nested = argument.filter(isElemMatch);
  if (nested.length === argument.length)
    return nested.map((entry) => elemMatch(operand, entry.get('$elemMatch') as Value));
  if (nested.length > 0) throw badValue('$all/$elemMatch has to be consistent');
  if (argument.some(isOperatorDoc)) throw badValue('no $ expressions in $all');
  return argument.map((entry) =>
    pathNode(path, 'elements', entry instanceof Regex ? matchesRegex(entry.pattern, entry.options) : equalTo(entry)),
  );
}

/** Operators test an element itself, anything else is a filter on elements that are documents. */
function elemMatch({ name, path, context }: Operand, argument: Value): Node {
  if (!isDoc(argument)) throw badValue('$elemMatch needs an Object');
  const first = argument.keys().next().value;
  const onValues = isOperatorDoc(argument) && !['$and', '$or', '$nor', '$where', '$expr'].includes(first ?? '');
  const test = onValues ? valueTest(name, argument, context) : documentTest(argument, context);
  const visit: Visit = (value) => (Array.isArray(value) ? firstIndex(value, test) : NO);
  return { kind: 'path', path, leaf: 'whole', visit };
}

const firstIndex = (array: readonly Value[], test: Predicate): Outcome => {
  const index = array.findIndex(test);
  return index < 0 ? NO : index;
};

/** Arrays among the elements are documents too, with positions for names, as the real engine reads them. */
function documentTest(filter: Doc, context: ParseContext): Predicate {
  const node = context.parseFilter(filter, context);
  const asDoc = (value: Maybe): Doc | undefined =>
    isDoc(value)
      ? value
      : Array.isArray(value)
        ? new Map(value.map((entry, index) => [String(index), entry]))
        : undefined;
  return (value) => {
    const element = asDoc(value);
    return element !== undefined && match(node, element) !== NO;
  };
}

function valueTest(name: string, operators: Doc, context: ParseContext): Predicate {
  const nodes = parseOperators(name, [], operators, context);
  return (value) => nodes.every((node) => holdsFor(node, value));
}

/** A node with an empty path on a single value: no array is expanded. */
function holdsFor(node: Node, value: Maybe): boolean {
  switch (node.kind) {
    case 'path':
      return node.visit(value) !== NO;
    case 'not':
      return !holdsFor(node.child, value);
    case 'and':
      return node.children.every((child) => holdsFor(child, value));
    case 'constant':
      return node.value;
    default:
      throw badValue(`${node.kind} is not allowed inside $elemMatch on values`);
  }
}

function regexTest({ argument, operators }: Operand): Predicate {
  const options = operators.get('$options');
  if (options !== undefined && typeof options !== 'string') throw badValue('$options has to be a string');
  if (typeof argument === 'string') return matchesRegex(argument, options ?? '');
  if (!(argument instanceof Regex)) throw badValue('$regex has to be a string');
  if (options !== undefined && argument.options !== '') {
    throw new ServerError(51075, 'options set in both $regex and $options');
  }
  return matchesRegex(argument.pattern, options ?? argument.options);
}

function requireRegex(operators: Doc): Node[] {
  if (!operators.has('$regex')) throw badValue('$options needs a $regex');
  return [];
}
