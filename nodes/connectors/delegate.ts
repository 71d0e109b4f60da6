import type { JsonObject } from '../../lib/json';
import type { MinimalContext } from '../minimal-context';
import type { Outcome } from '../contract';
import type { ActionContext, CodeAction } from './contract';

/** Runs an action as a step of another type, with input made of the action's input and credentials. */
export const delegateToStep =
  (
    step: (ctx: MinimalContext) => Promise<Outcome>,
    inputOf: (input: JsonObject, credentials: Readonly<Record<string, string>>) => JsonObject,
  ): CodeAction['run'] =>
  (input, { credentials }, ctx) =>
    step(minimalContext(ctx, inputOf(input, credentials)));

const minimalContext = (ctx: ActionContext, input: JsonObject): MinimalContext => ({
  input,
  signal: ctx.signal,
  now: ctx.now,
  idempotencyKey: ctx.idempotencyKey,
  http: ctx.http,
  redact: ctx.redact,
  capabilities: ctx.capabilities,
});

/** The non-empty credentials with these names, converted to numbers or booleans where named. */
export function connectionOf(
  credentials: Readonly<Record<string, string>>,
  names: readonly string[],
  read: { readonly numbers?: readonly string[]; readonly flags?: readonly string[] } = {},
): JsonObject {
  const entries = names.flatMap((name): [string, JsonObject[string]][] => {
    const text = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
    if (text === undefined || text === '') return [];
    if (read.numbers?.includes(name) === true) return [[name, Number(text)]];
    return [[name, read.flags?.includes(name) === true ? text === 'true' : text]];
  });
  return Object.fromEntries(entries);
}
