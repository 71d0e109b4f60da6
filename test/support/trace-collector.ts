import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it has arrived, its attributes by name. */
export interface SeenSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  readonly ms: number;
  readonly error: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of the process that has sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A trace collector on loopback for OTLP in JSON. */
export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly SeenSpan[];
  readonly requests: readonly IncomingHttpHeaders[];
  /** Error answers that it sends before it accepts spans. */
  readonly refusals: { status: number; headers?: Record<string, string> }[];
  close(): Promise<void>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status?: { readonly code: number; readonly message: string };
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: SeenSpan[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const refusals: TraceCollector['refusals'] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const sent = await text(request);
    requests.push(request.headers);
    const refusal = refusals.shift();
    if (refusal !== undefined) return void response.writeHead(refusal.status, refusal.headers).end();
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    spans.push(...decoded(JSON.parse(sent) as Wire));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    refusals,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const decoded = ({ resourceSpans }: Wire): SeenSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        name: span.name,
        kind: span.kind,
        ms: Number((BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1_000_000n),
        error: span.status?.code === 2 ? span.status.message : null,
        attributes: valuesOf(span.attributes),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );

/** Each value is a member of its own kind: a text, a flag, or a number, whole ones as texts. */
const valuesOf = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[kind, given] = ['', null]] = Object.entries(value);
      return [key, kind === 'intValue' ? Number(given) : given];
    }),
  );
