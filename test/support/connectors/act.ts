import { createDialer, createEgress, parseEgressAllow } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import type { Connector } from '../../../nodes/connectors/contract';
import { actionNode } from '../../../nodes/connectors/node';
import type { NodeContext, Outcome } from '../../../nodes/contract';
import { createContext } from '../../unit/nodes/context';

/** A connector, its credentials, and the addresses that it may reach. */
export interface Actor {
  readonly connector: Connector;
  /** Null: the step names no connection. */
  readonly credentials: Readonly<Record<string, string>> | null;
  /** As EGRESS_ALLOW; the loopback by default. */
  readonly allow?: string;
  readonly signal?: AbortSignal;
}

/** Runs an action against a real server. A host name that ends in `.test` is the loopback. */
export async function act(actor: Actor, name: string, input: JsonObject = {}): Promise<Outcome> {
  const { connector, credentials, signal } = actor;
  const action = connector.actions.find((each) => each.name === name);
  if (action === undefined) throw new Error(`${connector.name} has no action ${name}`);
  const allow = parseEgressAllow(actor.allow ?? '127.0.0.0/8, localhost');
  const resolver = async (host: string): Promise<string[]> => (host.endsWith('.test') ? ['127.0.0.1'] : []);
  const http = createEgress({ allow, resolver });
  const base = createContext({ ...input, ...(credentials === null ? {} : { connection: 'mine' }) });
  const hidden = Object.values(credentials ?? {}).filter((text) => text.length > 3);
  const ctx: NodeContext = {
    ...base,
    http,
    ...(signal === undefined ? {} : { signal }),
    capabilities: { ...base.capabilities, net: createDialer({ allow, resolver }) },
    redact: (text) => hidden.reduce((masked, secret) => masked.replaceAll(secret, '***'), text),
    connection: async (ref, { connectors }) => ({
      kind: 'ready',
      connection: { id: ref, connector: connectors[0] ?? '', credentials: credentials ?? {} },
    }),
  };
  try {
    return await actionNode(connector, action).run(ctx);
  } finally {
    await http.close();
  }
}

/** The output of an action that must succeed. */
export async function done(actor: Actor, name: string, input?: JsonObject): Promise<JsonObject> {
  const outcome = await act(actor, name, input);
  if (outcome.kind !== 'done') throw new Error(`the action did not succeed: ${JSON.stringify(outcome)}`);
  return outcome.output;
}

/** The failure of an action that must fail. */
export async function failed(actor: Actor, name: string, input?: JsonObject) {
  const outcome = await act(actor, name, input);
  if (outcome.kind !== 'fail') throw new Error(`the action did not fail: ${JSON.stringify(outcome)}`);
  return { ...outcome.error, retryable: outcome.retryable };
}
