import type { UsedByRow } from '../../contracts/used-by';
import type { RefKind } from '../../contracts/workflows/params';
import { compileTemplate, placedSteps, ExpressionError, membersUsed } from '../../dsl';
import { isObject } from '../../lib/json';
import { refsIn } from './refs';

/** What documents name by an id or a name, or in expressions. */
export type UsedKind = RefKind | 'secret' | 'variable';

const MAX_PLACES = 100;

/** The roots of expressions whose members are names of these. */
const ROOT_OF = { secret: 'secret', variable: 'vars' } as const;

/** The places of a valid document that name one of `refs`, in the order of the document. */
export function placesOf(dsl: unknown, kind: UsedKind, refs: readonly string[]): UsedByRow['places'] {
  const paths =
    kind === 'secret' || kind === 'variable'
      ? pathsOfExpressions(dsl, ROOT_OF[kind], refs)
      : refsIn(dsl).flatMap((found) => (found.kind === kind && refs.includes(found.ref) ? [found.path] : []));
  const steps = [...placedSteps(dsl)].map(({ path, step }) => [path, String(step.id)] as const);
  return paths.slice(0, MAX_PLACES).map((path) => ({ path, step_id: innermost(steps, path) }));
}

function pathsOfExpressions(dsl: unknown, root: string, names: readonly string[]): string[] {
  return [...textsIn(dsl, '')].flatMap(([text, path]) => {
    // Most texts have none, and need not be parsed.
    if (!text.includes('{{') || !text.includes(root)) return [];
    return membersIn(text, root).some((member) => member !== null && names.includes(member)) ? [path] : [];
  });
}

function membersIn(text: string, root: string): readonly (string | null)[] {
  try {
    return membersUsed(compileTemplate(text), root);
  } catch (fault) {
    // Texts in which the language reads no expressions, such as notes, may have anything.
    if (fault instanceof ExpressionError) return [];
    throw fault;
  }
}

function* textsIn(value: unknown, path: string): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [value, path];
  else if (Array.isArray(value)) for (const [index, each] of value.entries()) yield* textsIn(each, `${path}[${index}]`);
  else if (isObject(value)) for (const [key, each] of Object.entries(value)) yield* textsIn(each, member(path, key));
}

const member = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** The id of the step around a path. */
function innermost(steps: readonly (readonly [string, string])[], path: string): string | null {
  const around = steps.filter(([at]) => path === at || path.startsWith(`${at}.`));
  return around.toSorted(([a], [b]) => b.length - a.length)[0]?.[1] ?? null;
}
