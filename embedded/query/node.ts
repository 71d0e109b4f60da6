import type { Path } from '../bson/path';
import { type Doc, isDoc, type Value } from '../bson/value';
import type { Predicate } from './comparison';
import { type Leaf, NO, PLAIN, type Visit } from './walk';

/** A parsed filter. Paths are separate from tests, so that one tree serves decoded and raw documents. */
export type Node =
  | { kind: 'and' | 'or' | 'nor'; children: Node[] }
  | { kind: 'not'; child: Node }
  | { kind: 'path'; path: Path; leaf: Leaf; visit: Visit }
  | { kind: 'document'; test: (document: Doc) => boolean }
  | { kind: 'constant'; value: boolean };

/** Context of parsing. */
export interface ParseContext {
  let: ReadonlyMap<string, Value>;
  now: Date;
  /** Parses the filter inside an operator. Passed in, so that operators need not import the parser. */
  parseFilter: (filter: Doc, context: ParseContext) => Node;
}

/** The parts of a DBRef are field names although they start with a dollar. */
export const REFERENCE_FIELDS: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

const isOperatorName = (name: string | undefined): boolean =>
  name?.startsWith('$') === true && !REFERENCE_FIELDS.has(name);

/** A document that holds operators rather than a value to compare with: its first name decides. */
export const isOperatorDoc = (value: Value): value is Doc => isDoc(value) && isOperatorName(value.keys().next().value);

export function pathNode(path: Path, leaf: Leaf, predicate: Predicate): Node {
  return { kind: 'path', path, leaf, visit: (value) => (predicate(value) ? PLAIN : NO) };
}
