import type { JsonObject } from '../../lib/json';
import type { MinimalContext } from '../minimal-context';
import type { Outcome } from '../contract';
import type { ActionContext, CodeAction } from './contract';

/** What is the same as a step type: it gets its input, with the account as its connection. */
export const asStep =
  (
    step: (ctx: MinimalContext) => Promise<Outcome>,
    inputOf: (input: JsonObject, credentials: Readonly<Record<string, string>>) => JsonObject,
  ): CodeAction['run'] =>
  (input, { credentials }, ctx) =>
    step(bare(ctx, inputOf(input, credentials)));

const bare = (ctx: ActionContext, input: JsonObject): MinimalContext => ({
  input,
  signal: ctx.signal,
  now: ctx.now,
  idempotencyKey: ctx.idempotencyKey,
  http: ctx.http,
  redact: ctx.redact,
  capabilities: ctx.capabilities,
});

/** Fields that have something in them; those that a schema wants as numbers or flags are read. */
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
