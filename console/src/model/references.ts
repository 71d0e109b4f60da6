import { isObject, type JsonObject, placesOf } from './document';

/** A path that an expression can name. */
interface Reference {
  readonly path: string;
  readonly about: string;
}

const MAX_MEMBERS = 200;
const MAX_DEPTH = 4;
const PLAIN_KEY = /^[A-Za-z_]\w*$/;

interface Sample {
  readonly trigger: unknown;
  readonly steps: Readonly<Record<string, unknown>>;
}

/** Names of the workspace. */
interface Names {
  readonly secrets: readonly string[];
  readonly variables: readonly string[];
}
const NO_NAMES: Names = { secrets: [], variables: [] };

/** The paths that expressions of a step can name: the trigger, steps before it in the text, and what the sample has of them. */
export function referencesAt(
  document: JsonObject,
  stepId: string | undefined,
  sample: Sample,
  { secrets, variables }: Names = NO_NAMES,
): Reference[] {
  const places = placesOf(document);
  const at = places.findIndex(({ id }) => id === stepId);
  const before = at < 0 ? places : places.slice(0, at);
  const inLoop = places[at]?.planPath.includes('/steps/') ?? false;
  return [
    { path: 'trigger', about: 'what has started the run' },
    ...membersOf('trigger', sample.trigger),
    ...before.flatMap(({ id, type }) => [
      { path: `steps.${id}`, about: type },
      ...membersOf(`steps.${id}`, Object.hasOwn(sample.steps, id) ? sample.steps[id] : undefined),
    ]),
    ...(inLoop ? ['loop.item', 'loop.index'].map((path) => ({ path, about: 'of the loop' })) : []),
    ...secrets.map((name) => ({ path: `secret.${name}`, about: 'secret' })),
    ...variables.map((name) => ({ path: `vars.${name}`, about: 'variable' })),
    ...['execution.id', 'execution.started_at', 'env'].map((path) => ({ path, about: 'of the run' })),
  ];
}

/** The members of a value as paths, to some depth. */
function membersOf(path: string, value: unknown, depth = 0): Reference[] {
  if (depth >= MAX_DEPTH || !isObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_MEMBERS)
    .flatMap(([key, member]) => {
      const here = PLAIN_KEY.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
      return [{ path: here, about: typeText(member) }, ...membersOf(here, member, depth + 1)];
    });
}

const typeText = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);
