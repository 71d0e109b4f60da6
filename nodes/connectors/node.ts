import type { JsonObject } from '../../lib/json';
import type { JsonSchema, NodeContext, NodeType, Outcome } from '../contract';
import { asOutput, done, failFinally, invalidConfig } from '../outcome';
import { flag, integer, list, objectSchema, text } from '../schema';
import type { Account, ActionContext, Connector, ConnectorAction } from './contract';
import { collect, DEFAULT_LIMIT, MAX_ITEMS } from './http/collect';
import { type Holder, Session } from './http/session';
import { Unusable } from './unusable';

/** The step type of an action. */
export const typeOf = ({ name }: Pick<Connector, 'name'>, action: Pick<ConnectorAction, 'name'>): string =>
  `${name}.${action.name}`;

/** Every name of a connector, its own first: words are joined by hyphens or by underscores. */
export const namesOf = ({ name, aliases = [] }: Pick<Connector, 'name' | 'aliases'>): string[] => [
  ...new Set([name, ...aliases].flatMap((each) => [each, each.replaceAll('-', '_'), each.replaceAll('_', '-')])),
];

/** Whose connections will do for a connector: its own, and those of its OAuth provider. */
const connectionsOf = ({ name, auth }: Pick<Connector, 'name' | 'auth'>): readonly string[] => [
  name,
  ...(auth.oauth === undefined ? [] : [auth.oauth.provider]),
];

/** True where steps may name a connection. */
const hasAccounts = ({ auth }: Connector): boolean => auth.oauth !== undefined || auth.fields.length > 0;

/** The node types of a connector, one for each action. */
export const nodesOf = (connector: Connector): NodeType[] =>
  connector.actions.map((action) => actionNode(connector, action));

/** An action as a step type. */
export function actionNode(connector: Connector, action: ConnectorAction): NodeType {
  const type = typeOf(connector, action);
  const members = { ...action.input, ...(isPaged(action) ? { limit: LIMIT } : {}) };
  const { required, description } = action;
  const accounts = hasAccounts(connector);
  return {
    type,
    aliases: namesOf(connector)
      .slice(1)
      .map((name) => typeOf({ name }, action)),
    version: 1,
    title: `${connector.title}: ${action.title}`,
    description,
    category: connector.category,
    effect: action.effect,
    onInterrupted: isRepeatable(action) ? 'retry' : 'ask',
    input: objectSchema(
      { ...(accounts ? { connection: connectionSchema(connector.auth.required) } : {}), ...members },
      required,
    ),
    output: outputOf(action),
    // Which account is used is the author's to say, not a model's.
    tool: { name: toolName(type), description, parameters: objectSchema(members, required) },
    ...(accounts ? { connections: connectionsOf(connector), needsConnection: connector.auth.required } : {}),
    run: (ctx) => run(connector, action, ctx),
  };
}

/** What models know it by: most providers take no more than 64 characters. */
const toolName = (type: string): string => type.replace(/\W/g, '_').slice(0, 64);

/** The schema of what an action gives. */
const outputOf = (action: ConnectorAction): JsonSchema =>
  isPaged(action) ? pagedOutput(action.output) : action.output;

/** True where an action goes through pages. */
export const isPaged = (action: ConnectorAction): boolean => action.kind === 'http' && action.pages !== undefined;

const isRepeatable = ({ effect, repeatable }: ConnectorAction): boolean => effect === 'read' || repeatable;

const connectionSchema = (required: boolean): JsonSchema =>
  text(
    required
      ? 'Id or name. May be left out where there is only one that fits.'
      : 'Id or name. Without one the request has no credentials.',
    { title: 'Connection', maxLength: 200 },
  );

const LIMIT: JsonSchema = integer('Maximum number of items. As many pages as needed are requested.', {
  minimum: 1,
  maximum: MAX_ITEMS,
  default: DEFAULT_LIMIT,
});

const pagedOutput = (item: JsonSchema): JsonSchema =>
  objectSchema(
    {
      items: list(item, 'Items of all requested pages, in order.'),
      count: integer('Number of items.'),
      more: flag('Whether there are more items than the limit.'),
    },
    ['items', 'count', 'more'],
  );

async function run(connector: Connector, action: ConnectorAction, ctx: NodeContext): Promise<Outcome> {
  const { connection, ...input } = ctx.input;
  const found = await holderOf(connector, typeof connection === 'string' ? connection : null, ctx);
  if (found.kind === 'refused') return failFinally(found.error.code, ctx.redact(found.error.message));
  try {
    return await perform(connector, action, input, ctx, found.holder);
  } catch (thrown) {
    if (thrown instanceof Unusable) return invalidConfig(ctx.redact(thrown.message));
    throw thrown;
  }
}

/** An action with an account at hand. @throws Unusable */
export async function perform(
  connector: Connector,
  action: ConnectorAction,
  input: JsonObject,
  ctx: ActionContext,
  holder: Holder,
): Promise<Outcome> {
  const session = new Session(connector, holder, ctx, isRepeatable(action) ? 'repeat' : 'tell');
  if (action.kind === 'code') return action.run(input, holder.account, ctx, session.send);
  const { limit, ...given } = input;
  const { idempotencyKey, now } = ctx;
  if (action.pages !== undefined) {
    const first = action.request(given, holder.account, { idempotencyKey, now });
    return collect(action.pages, first, typeof limit === 'number' ? limit : DEFAULT_LIMIT, session);
  }
  const sent = await session.send(action.request(input, holder.account, { idempotencyKey, now }));
  if (sent.kind === 'failed') return sent.outcome;
  return done(action.read?.(sent.answer, input) ?? asOutput(sent.answer.body));
}

const NO_ACCOUNT: Account = { credentials: {} };

type Found =
  | { kind: 'holder'; holder: Holder }
  | Extract<Awaited<ReturnType<NodeContext['connection']>>, { kind: 'refused' }>;

/** The account that a step names, or the only one that fits; an empty one where the connector needs none. */
async function holderOf(connector: Connector, ref: string | null, ctx: NodeContext): Promise<Found> {
  const { auth } = connector;
  const anonymous: Found = { kind: 'holder', holder: { account: NO_ACCOUNT, renew: noOther } };
  if (ref === null && !auth.required) return anonymous;
  const connectors = connectionsOf(connector);
  const found = await ctx.connection(ref ?? '', { connectors });
  if (found.kind === 'refused') return found;
  const holder: Holder = {
    account: { credentials: found.connection.credentials },
    async renew(refused) {
      const renewed = await ctx.connection(found.connection.id, { connectors, refused });
      return renewed.kind === 'ready'
        ? { kind: 'account', account: { credentials: renewed.connection.credentials } }
        : { kind: 'failed', outcome: { kind: 'fail', retryable: false, error: renewed.error } };
    },
  };
  return { kind: 'holder', holder };
}

const noOther: Holder['renew'] = () => Promise.reject(new Error('A call without an account has no token to refresh'));
