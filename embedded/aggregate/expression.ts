import { ServerError } from '../bson/error';
import { type Doc, isDoc, type Maybe, Timestamp, type Value } from '../bson/value';
import { summary } from './accumulators';
import { assertFieldPath, readPath } from './fieldpath';
import { type Compiler, type Expr, literal, type Operator, type Scope } from './operator';
import { arithmetic } from './operators/arithmetic';
import { array } from './operators/array';
import { conversion } from './operators/convert';
import { date } from './operators/date';
import { dateMath } from './operators/datemath';
import { iteration } from './operators/iteration';
import { logic } from './operators/logic';
import { object } from './operators/object';
import { regex } from './operators/regex';
import { set } from './operators/set';
import { string } from './operators/string';

export { truthy } from './operator';

/** Context of an expression, besides the document. */
interface ExpressionOptions {
  /** Variables by name. Names are resolved at compile time, values are read at run time. */
  let?: ReadonlyMap<string, Maybe>;
  now?: Date;
}

const OPERATORS = new Map<string, Operator>(
  [arithmetic, logic, string, regex, array, iteration, object, set, conversion, date, dateMath, summary].flatMap(
    (family) => Object.entries(family),
  ),
);

/** The compile-time scope of expressions, with its variables. Slots are numbered once per root. */
class Root implements Compiler {
  constructor(
    private readonly now: Date,
    private readonly outer: ReadonlyMap<string, Maybe>,
    private readonly variables: ReadonlyMap<string, number>,
    private readonly counter: { next: number },
  ) {}

  bind(name: string): { slot: number; inner: Compiler } {
    const slot = this.counter.next++;
    const variables = new Map(this.variables).set(name, slot);
    return { slot, inner: new Root(this.now, this.outer, variables, this.counter) };
  }

  compile(value: Value): Expr {
    if (typeof value === 'string') return value.startsWith('$') ? this.reference(value) : literal(value);
    if (Array.isArray(value)) return this.list(value);
    return isDoc(value) ? this.document(value) : literal(value);
  }

  private list(values: readonly Value[]): Expr {
    const entries = values.map((value) => this.compile(value));
    if (entries.every((entry) => entry.constant !== undefined)) {
      return literal(entries.map((entry) => entry.constant as Value));
    }
    return (scope) => entries.map((entry) => entry(scope) ?? null);
  }

  private document(value: Doc): Expr {
    const first = value.keys().next().value;
    if (first?.startsWith('$') === true) {
      if (value.size > 1)
        throw new ServerError(15983, 'an object representing an expression must have exactly one field');
      return this.operator(first, value.get(first) as Value);
    }
    const members = [...value].map(([name, member]) => {
      if (name.includes('.')) throw new ServerError(16405, "FieldPath field names may not contain '.'.");
      if (name.startsWith('$')) throw new ServerError(16410, `FieldPath field names may not start with '$': ${name}`);
      return [name, this.compile(member)] as const;
    });
    if (members.length === 0) return literal(value);
    return (scope) => {
      const result: Doc = new Map();
      for (const [name, member] of members) {
        const computed = member(scope);
        if (computed !== undefined) result.set(name, computed);
      }
      return result;
    };
  }

  private operator(name: string, argument: Value): Expr {
    const operator = OPERATORS.get(name);
    if (operator !== undefined) return operator(argument, this, name);
    if (name === '$const') return literal(argument);
    throw new ServerError(
      'InvalidPipelineOperator',
      `Unrecognized expression '${name}'. The built-in store does not have this operator.`,
    );
  }

  private reference(text: string): Expr {
    if (!text.startsWith('$$')) {
      const path = text.slice(1);
      if (path === '') throw new ServerError(16872, "'$' by itself is not a valid FieldPath");
      assertFieldPath(path);
      return fieldReader(path);
    }
    const [name = '', ...rest] = text.slice(2).split('.');
    if (rest.length > 0) assertFieldPath(rest.join('.'));
    const variable = this.variable(name);
    return rest.length === 0 ? variable : (scope) => readPath(variable(scope), rest);
  }

  private variable(name: string): Expr {
    if (name === '') throw new ServerError('FailedToParse', 'empty variable names are not allowed');
    const slot = this.variables.get(name);
    if (slot !== undefined) return (scope) => scope.slots[slot];
    if (this.outer.has(name)) return () => this.outer.get(name);
    switch (name) {
      case 'ROOT':
        return (scope) => scope.root;
      case 'CURRENT':
        return (scope) => scope.current;
      case 'REMOVE':
        return () => undefined;
      case 'NOW':
        return literal(this.now);
      case 'CLUSTER_TIME':
        return literal(new Timestamp(BigInt(Math.floor(this.now.getTime() / 1000)) << 32n));
      default:
        throw new ServerError(17276, `Use of undefined variable: ${name}`);
    }
  }
}

function fieldReader(path: string): Expr {
  if (!path.includes('.')) return ({ current }) => (isDoc(current) ? current.get(path) : readPath(current, [path]));
  const parts = path.split('.');
  return ({ current }) => readPath(current, parts);
}

const NO_VARIABLES: ReadonlyMap<string, Maybe> = new Map();

/** A compiler for stages, which evaluate many expressions in one scope per document. */
export const expressionCompiler = (options: ExpressionOptions = {}): Compiler =>
  new Root(options.now ?? new Date(), options.let ?? NO_VARIABLES, new Map(), { next: 0 });

/** The scope in which a stage's expressions read this document. */
export const scopeOf = (document: Maybe): Scope => ({ root: document, current: document, slots: [] });

/**
 * An expression as a function of a document; undefined is a missing value.
 * @throws ServerError 168 for an unknown operator, 16020 for a wrong number of operands, and others as MongoDB does
 */
export function compileExpression(expression: Value, options: ExpressionOptions = {}): (document: Maybe) => Maybe {
  const compiled = expressionCompiler(options).compile(expression);
  return (document) => compiled(scopeOf(document));
}
