import { ServerError } from '../../bson/error';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Value } from '../../bson/value';
import { compileProjection } from '../../query/projection';
import { compute, type Inner, insert, newTree } from '../../query/projectiontree';
import { scopeOf } from '../expression';
import { assertFieldPath } from '../fieldpath';
import type { Compiler } from '../operator';
import { mapping, optionsOf, type StageCompiler, type StageContext } from '../stage';

const projection = (spec: Doc, { env }: StageContext): ((document: Doc) => Doc) =>
  compileProjection(spec, { flavour: 'aggregate', let: env.let as ReadonlyMap<string, Value>, now: env.now });

export const project: StageCompiler = (argument, context) => {
  if (!isDoc(argument)) throw new ServerError(15969, '$project specification must be an object');
  return mapping(projection(argument, context));
};

/** A tree of computed fields; documents without operators are nested fields, not values. */
function computedFields(spec: Doc, compiler: Compiler): Inner {
  const tree = newTree();
  const add = (path: string, value: Value): void => {
    assertFieldPath(path);
    const nested = isDoc(value) && value.size > 0 && value.keys().next().value?.startsWith('$') !== true;
    if (nested) for (const [member, inner] of value) add(`${path}.${member}`, inner);
    else insert(tree, path.split('.'), { kind: 'compute', expr: compiler.compile(value) }, 40176);
  };
  for (const [path, value] of spec) add(path, value);
  return tree;
}

export const addFields: StageCompiler = (argument, context, name) => {
  if (!isDoc(argument))
    throw new ServerError(40272, `${name} specification stage must be an object, got ${typeName(argument)}`);
  const tree = computedFields(argument, context.compiler());
  return mapping((document) => compute(tree, new Map(document), scopeOf(document)));
};

export const unset: StageCompiler = (argument, context) => {
  const names = Array.isArray(argument) ? argument : [argument];
  if (names.length === 0)
    throw new ServerError(31119, '$unset specification must be a string or an array with at least one field');
  if (!Array.isArray(argument) && typeof argument !== 'string')
    throw new ServerError(31002, '$unset specification must be a string or an array');
  const spec: Doc = new Map();
  for (const name of names) {
    if (typeof name !== 'string')
      throw new ServerError(31120, '$unset specification must be a string or an array containing only string values');
    spec.set(name, false);
  }
  return mapping(projection(spec, context));
};

function replacing(expression: Value, context: StageContext, what: string): ReturnType<StageCompiler> {
  const newRoot = context.compiler().compile(expression);
  return mapping((document) => {
    const value = newRoot(scopeOf(document));
    if (!isDoc(value)) {
      throw new ServerError(
        40228,
        `${what} must evaluate to an object, but resulting value was of type '${typeName(value)}'`,
      );
    }
    return value;
  });
}

export const replaceRoot: StageCompiler = (argument, context, name) =>
  replacing(
    optionsOf(name, argument, ['newRoot'], [], { notDocument: 40229 }).get('newRoot') as Value,
    context,
    "'newRoot' expression",
  );

export const replaceWith: StageCompiler = (argument, context) => replacing(argument, context, "'replacement document'");
