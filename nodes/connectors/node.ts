import type { JsonObject } from '../../lib/json';
import type { JsonSchema, NodeContext, NodeType, Outcome } from '../contract';
import { asOutput, done, failFinally, invalidConfig } from '../outcome';
import { flag, integer, list, objectSchema, text } from '../schema';
import type { Account, ActionContext, Connector, ConnectorAction } from './contract';
import { collect, DEFAULT_LIMIT, MAX_ITEMS } from './http/collect';
import { type AccountSource, Session } from './http/session';
import { InvalidInputError } from './invalid-input-error';

/** The step type of an action. */
export const typeOf = ({ name }: Pick<Connector, 'name'>, action: Pick<ConnectorAction, 'name'>): string =>
  `${name}.${action.name}`;

/** The name of a connector, followed by its aliases, each with hyphens and with underscores. */
export const namesOf = ({ name, aliases = [] }: Pick<Connector, 'name' | 'aliases'>): string[] => [
  ...new Set([name, ...aliases].flatMap((each) => [each, each.replaceAll('-', '_'), each.replaceAll('_', '-')])),
];

/** The connectors whose connections are accepted: the connector itself and its OAuth provider. */
const connectionsOf = ({ name, auth }: Pick<Connector, 'name' | 'auth'>): readonly string[] => [
  name,
  ...(auth.oauth === undefined ? [] : [auth.oauth.provider]),
];

/** True if steps may name a connection. */
const hasAccounts = ({ auth }: Connector): boolean => auth.oauth !== undefined || auth.fields.length > 0;

/** The node types of a connector, one for each action. */
export const nodesOf = (connector: Connector): NodeType[] =>
  connector.actions.map((action) => actionNode(connector, action));

/** The node type of an action. */
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
    // The author chooses the account, not the model.
    tool: { name: toolName(type), description, parameters: objectSchema(members, required) },
    ...(accounts ? { connections: connectionsOf(connector), needsConnection: connector.auth.required } : {}),
    run: (ctx) => run(connector, action, ctx),
  };
}

/** The tool name for models: most model providers accept at most 64 characters. */
const toolName = (type: string): string => type.replace(/\W/g, '_').slice(0, 64);

/** The output schema of an action. */
const outputOf = (action: ConnectorAction): JsonSchema =>
  isPaged(action) ? pagedOutput(action.output) : action.output;

/** True if an action reads several pages. */
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
  const found = await accountSourceOf(connector, typeof connection === 'string' ? connection : null, ctx);
  if (found.kind === 'refused') return failFinally(found.error.code, ctx.redact(found.error.message));
  try {
    return await runAction(connector, action, input, ctx, found.source);
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) return invalidConfig(ctx.redact(thrown.message));
    throw thrown;
  }
}

/** Runs an action with an account. @throws InvalidInputError */
export async function runAction(
  connector: Connector,
  action: ConnectorAction,
  input: JsonObject,
  ctx: ActionContext,
  source: AccountSource,
): Promise<Outcome> {
  const session = new Session(connector, source, ctx, isRepeatable(action) ? 'retry' : 'fail');
  if (action.kind === 'code') return action.run(input, source.account, ctx, session.send);
  const { limit, ...given } = input;
  const { idempotencyKey, now } = ctx;
  if (action.pages !== undefined) {
    const first = action.request(given, source.account, { idempotencyKey, now });
    return collect(action.pages, first, typeof limit === 'number' ? limit : DEFAULT_LIMIT, session);
  }
  const sent = await session.send(action.request(input, source.account, { idempotencyKey, now }));
  if (sent.kind === 'failed') return sent.outcome;
  return done(action.read?.(sent.response, input) ?? asOutput(sent.response.body));
}

const NO_ACCOUNT: Account = { credentials: {} };

type AccountLookup =
  | { kind: 'found'; source: AccountSource }
  | Extract<Awaited<ReturnType<NodeContext['connection']>>, { kind: 'refused' }>;

/** The account of the named connection, or of the only one that fits; no account if the connector needs none. */
async function accountSourceOf(connector: Connector, ref: string | null, ctx: NodeContext): Promise<AccountLookup> {
  const { auth } = connector;
  const anonymous: AccountLookup = { kind: 'found', source: { account: NO_ACCOUNT, refresh: noRefresh } };
  if (ref === null && !auth.required) return anonymous;
  const connectors = connectionsOf(connector);
  const found = await ctx.connection(ref ?? '', { connectors });
  if (found.kind === 'refused') return found;
  const source: AccountSource = {
    account: { credentials: found.connection.credentials },
    async refresh(refused) {
      const refreshed = await ctx.connection(found.connection.id, { connectors, refused });
      return refreshed.kind === 'ready'
        ? { kind: 'account', account: { credentials: refreshed.connection.credentials } }
        : { kind: 'failed', outcome: { kind: 'fail', retryable: false, error: refreshed.error } };
    },
  };
  return { kind: 'found', source };
}

const noRefresh: AccountSource['refresh'] = () =>
  Promise.reject(new Error('A call without an account has no token to refresh'));
