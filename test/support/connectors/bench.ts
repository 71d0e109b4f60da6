import { createDialer, createEgress, parseEgressAllow } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import type { CaseAnswer, ConnectorCase, ExpectedRequest } from '../../nodes/connectors/connector-case';
import type { Connector } from '../../../nodes/connectors/contract';
import { actionNode } from '../../../nodes/connectors/node';
import type { NodeContext, Outcome } from '../../../nodes/contract';
import { createContext } from '../../unit/nodes/context';
import { startProvider, type SeenRequest } from './provider';

/** The id of the connection of a case. */
export const CASE_CONNECTION = 'case-connection';

/** The result of a case, and the requests to its provider. */
export interface Played {
  readonly outcome: Outcome;
  readonly seen: readonly SeenRequest[];
  /** The secrets that a run would redact from now on. */
  readonly secrets: readonly string[];
}

/** Runs a case of a connector against a real server, through the guarded sockets. */
export async function play(connector: Connector, one: ConnectorCase): Promise<Played> {
  const provider = await startProvider(
    (_seen, number) => one.answers[number] ?? { status: 599, text: 'no such answer' },
  );
  const allow = parseEgressAllow('127.0.0.0/8');
  const http = createEgress({ allow });
  const placed = (fields: ConnectorCase['credentials']): ConnectorCase['credentials'] =>
    fields === undefined ? undefined : (inPlace({ ...fields }, provider.url) as Record<string, string>);
  const accounts = { credentials: placed(one.credentials), renewed: placed(one.renewed) };
  const secrets = Object.values(accounts).flatMap((fields) => Object.values(fields ?? {}));
  const input = { ...one.input, ...(one.credentials === undefined ? {} : { connection: CASE_CONNECTION }) };
  const base = createContext(inPlace(input, provider.url) as JsonObject);
  const ctx: NodeContext = {
    ...base,
    http,
    capabilities: {
      ...base.capabilities,
      net: createDialer({ allow }),
      connectorUrls: new Map([[connector.name, provider.url]]),
    },
    connection: connectionOf(accounts),
    redact: (text) =>
      secrets.reduce((masked, secret) => (secret.length < 4 ? masked : masked.replaceAll(secret, '***')), text),
  };
  try {
    const action = connector.actions.find(({ name }) => name === one.action);
    if (action === undefined) throw new Error(`${connector.name} has no action ${one.action}`);
    return { outcome: await actionNode(connector, action).run(ctx), seen: provider.seen, secrets };
  } finally {
    await http.close();
    await provider.close();
  }
}

const connectionOf =
  ({ credentials, renewed }: Pick<ConnectorCase, 'credentials' | 'renewed'>): NodeContext['connection'] =>
  async (_ref, wanted) => {
    const given = wanted.refused === undefined ? credentials : renewed;
    if (given === undefined) {
      return { kind: 'refused', error: { code: 'unknown_connection', message: 'There is no other connection' } };
    }
    return {
      kind: 'ready',
      connection: { id: CASE_CONNECTION, connector: wanted.connectors[0] ?? '', credentials: given },
    };
  };

/** The value with `{{server}}` in its texts replaced. */
export const inPlace = (value: Json, url: string): Json =>
  JSON.parse(JSON.stringify(value).replaceAll('{{server}}', url)) as Json;

/** A request as a case writes it, to be compared with what it expects. */
export function asExpected(seen: SeenRequest, expected: ExpectedRequest): ExpectedRequest {
  const { method, headers, text } = seen;
  const url = new URL(seen.url, 'http://provider.test');
  const query = grouped(url.searchParams);
  return {
    method,
    path: seen.url.split('?', 1)[0] ?? '',
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(expected.headers === undefined
      ? {}
      : { headers: Object.fromEntries(Object.keys(expected.headers).map((name) => [name, headers[name] ?? null])) }),
    ...bodyOf(text, expected),
  };
}

function bodyOf(text: string, expected: ExpectedRequest): Pick<ExpectedRequest, 'body' | 'form'> {
  if (expected.form !== undefined) return { form: grouped(new URLSearchParams(text)) };
  if (text === '') return {};
  if (typeof expected.body === 'string') return { body: text };
  return { body: JSON.parse(text) as Json };
}

function grouped(params: URLSearchParams): Record<string, string | string[]> {
  const names = [...new Set(params.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

export type { CaseAnswer };
