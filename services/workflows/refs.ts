import type { RefKind } from '../../contracts/workflows/params';
import { isObject } from '../../lib/json';

/** A place of a document that names such a thing. */
export interface Ref {
  readonly kind: RefKind;
  readonly path: string;
  readonly ref: string;
}

/** By the type of a step, trigger or tool: members of its configuration that name something. Every type may have `connection`. */
const MEMBERS: Readonly<Record<string, Readonly<Record<string, RefKind>>>> = {
  kb_query: { knowledge_base: 'knowledge_base' },
  kb_add: { knowledge_base: 'knowledge_base' },
  knowledge_base: { knowledge_base: 'knowledge_base' },
  sub_workflow: { workflow: 'workflow' },
  workflow: { workflow: 'workflow' },
  workflow_completed: { workflow: 'workflow' },
  error: { workflow: 'workflow' },
  skill: { skill: 'skill' },
};

/** Every place of a valid document that names something of the tenant, but for what only an expression knows. */
export function refsIn(dsl: unknown): Ref[] {
  return [...walk(dsl, '')];
}

/** True for a text that names something. */
type IsRef = (value: unknown) => value is string;

function* walk(value: unknown, path: string, isRef: IsRef = isFixed): Generator<Ref> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* walk(each, `${path}[${index}]`, isRef);
  } else if (isObject(value)) {
    const { type, config } = value;
    if (typeof type === 'string' && isObject(config)) yield* inConfig(type, config, `${path}.config`, isRef);
    // Steps stand within steps, and never within what those are configured with.
    for (const [key, each] of Object.entries(value))
      if (key !== 'config') yield* walk(each, path === '' ? key : `${path}.${key}`, isRef);
  }
}

function* inConfig(type: string, config: Record<string, unknown>, path: string, isRef: IsRef): Generator<Ref> {
  yield* members(type, config, path, isRef);
  if (type !== 'agent') return;
  for (const [index, entry] of listAt(config, 'skills').entries()) {
    const ref: unknown = isObject(entry) ? entry.skill : entry;
    if (isRef(ref)) yield { kind: 'skill', path: `${path}.skills[${index}]`, ref };
  }
  for (const [index, tool] of listAt(config, 'tools').entries())
    if (isObject(tool) && typeof tool.type === 'string')
      yield* members(tool.type, tool, `${path}.tools[${index}]`, isRef);
}

function* members(type: string, holder: Record<string, unknown>, path: string, isRef: IsRef): Generator<Ref> {
  const named = Object.hasOwn(MEMBERS, type) ? MEMBERS[type] : {};
  for (const [member, kind] of Object.entries({ connection: 'connection', ...named } as Record<string, RefKind>)) {
    const ref = holder[member];
    // Databases and Redis have an address as `connection`, or a secret.
    if (isRef(ref) && !ref.includes('://') && ref !== '*') yield { kind, path: `${path}.${member}`, ref };
  }
}

const listAt = (holder: Record<string, unknown>, key: string): readonly unknown[] => {
  const list = holder[key];
  return Array.isArray(list) ? list : [];
};

const isFixed = (value: unknown): value is string => typeof value === 'string' && value !== '' && !value.includes('{{');

/** How a record keeps what its document names: `connection:Shop`. Each once. */
export const refKeysOf = (dsl: unknown): string[] => [...new Set(refsIn(dsl).map(({ kind, ref }) => `${kind}:${ref}`))];

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Every workflow that a document, valid or not, starts or follows, as it is named, expressions included; `*`: failures of all. */
export function workflowsNamedIn(dsl: unknown): Set<string> {
  const named = new Set([...walk(dsl, '', isText)].flatMap(({ kind, ref }) => (kind === 'workflow' ? [ref] : [])));
  return followsAllFailures(dsl) ? named.add('*') : named;
}

function followsAllFailures(dsl: unknown): boolean {
  if (!isObject(dsl)) return false;
  const triggers = [dsl.trigger, ...(Array.isArray(dsl.triggers) ? (dsl.triggers as unknown[]) : [])];
  return triggers.some(
    (each) => isObject(each) && each.type === 'error' && !(isObject(each.config) && isText(each.config.workflow)),
  );
}
