import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Collection, Refused } from './qdrant/collection';
import { keysOf, type Payload, type QdrantFilter } from './qdrant/filter';
import { type Exchange, qdrantInterface } from './qdrant/interface';

/**
 * A server with Qdrant's interface that stores and searches. Every request and every answer is validated against Qdrant's
 * own OpenAPI description; an invalid one is answered with 400, and is in `faults`.
 */
export interface QdrantServer {
  readonly url: string;
  /** Requests and answers that violate the description or the isolation of tenants. */
  readonly faults: readonly string[];
  /** Requests so far, such as `PUT /collections/{collection_name}/points`. */
  readonly asked: string[];
  readonly collections: Map<string, Collection>;
  /** Answers the next requests with this status, or not at all where it is 0. */
  failNext(count: number, status: number): void;
  /** Called for each request before it is answered. */
  onRequest: (template: string) => Promise<void> | void;
  forget(): void;
  close(): Promise<void>;
}

interface Asked extends Exchange {
  readonly name: string;
}

const TEMPLATES: readonly (readonly [RegExp, string])[] = [
  [/^\/collections$/, '/collections'],
  [/^\/collections\/([^/]+)$/, '/collections/{collection_name}'],
  [/^\/collections\/([^/]+)\/index$/, '/collections/{collection_name}/index'],
  [/^\/collections\/([^/]+)\/points$/, '/collections/{collection_name}/points'],
  [/^\/collections\/([^/]+)\/points\/(delete|query|scroll)$/, '/collections/{collection_name}/points/$2'],
];

export async function startQdrant({ apiKey }: { apiKey?: string } = {}): Promise<QdrantServer> {
  const rules = qdrantInterface();
  const collections = new Map<string, Collection>();
  const faults: string[] = [];
  const asked: string[] = [];
  let failing = { count: 0, status: 0 };

  const answer = (request: Asked): unknown => {
    const operation = OPERATIONS[`${request.method} ${request.template}`];
    if (operation === undefined) throw new Refused(404, 'Not found');
    return operation(request, collections);
  };

  async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await read(message);
    asked.push(`${request.method} ${request.template}`);
    await server.onRequest(request.template);
    const send = (status: number, body: unknown): void => {
      const fault = rules?.answerFault(request, status, body) ?? null;
      if (fault !== null) faults.push(`answer to ${request.method} ${request.template}: ${fault}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (apiKey !== undefined && message.headers['api-key'] !== apiKey)
      return void response.writeHead(401).end('Must provide an API key or an Authorization bearer token');
    if (failing.count > 0) {
      failing.count -= 1;
      return failing.status === 0 ? void message.socket.destroy() : send(failing.status, refusal('failing for a test'));
    }
    const fault = rules?.requestFault(request) ?? wallFault(request);
    if (fault !== null) {
      faults.push(`${request.method} ${request.template}: ${fault}`);
      return send(400, refusal(fault));
    }
    try {
      send(200, { result: answer(request), status: 'ok', time: 0.001 });
    } catch (thrown) {
      send(thrown instanceof Refused ? thrown.status : 500, refusal(String(thrown)));
    }
  }

  const http = createServer((message, response) => {
    serve(message, response).catch((fault: unknown) => {
      faults.push(String(fault));
      response.destroy();
    });
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const server: QdrantServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    faults,
    asked,
    collections,
    failNext: (count, status) => void (failing = { count, status }),
    onRequest: () => {},
    forget: () => collections.clear(),
    close: () =>
      new Promise((done) => {
        http.close(() => done());
        http.closeAllConnections();
      }),
  };
  return server;
}

const refusal = (error: string) => ({ status: { error }, time: 0.001 });

async function read(message: IncomingMessage): Promise<Asked> {
  const { pathname, searchParams } = new URL(message.url ?? '', 'http://localhost');
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString('utf8');
  const [pattern, template] = TEMPLATES.find(([each]) => each.test(pathname)) ?? [/$^/, pathname];
  const [, name = '', word = ''] = pattern.exec(pathname) ?? [];
  return {
    method: message.method ?? '',
    template: template.replace('$2', word),
    name: decodeURIComponent(name),
    query: searchParams,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Requests to points must name tenant and base, and wait until their writes are applied. */
function wallFault({ method, template, query, body }: Asked): string | null {
  if (!template.includes('/points')) return null;
  const isWrite = method === 'PUT' || template.endsWith('/delete');
  if (isWrite && query.get('wait') !== 'true') return 'the write does not wait';
  if (method === 'PUT') return null;
  const { filter = {} } = body as { filter?: QdrantFilter };
  const keys = keysOf({ must: filter.must ?? [] });
  return keys.includes('tenant_id') && keys.includes('base_id') ? null : 'the filter names no tenant and base';
}

type Act = (request: Asked, collections: Map<string, Collection>) => unknown;

const updated = { operation_id: 1, status: 'completed' };

/** Requests whose members were checked above. */
const bodyOf = <T>({ body }: Asked): T => body as T;

function collectionOf({ name }: Asked, collections: ReadonlyMap<string, Collection>): Collection {
  const found = collections.get(name);
  if (found === undefined) throw new Refused(404, `Not found: Collection \`${name}\` doesn't exist!`);
  return found;
}

const OPERATIONS: Readonly<Record<string, Act>> = {
  'GET /collections': (_, collections) => ({ collections: [...collections.keys()].map((name) => ({ name })) }),
  'GET /collections/{collection_name}': (request, collections) => infoOf(collectionOf(request, collections)),
  'PUT /collections/{collection_name}': (request, collections) => {
    if (collections.has(request.name)) throw new Refused(409, `Collection \`${request.name}\` already exists!`);
    const { vectors, hnsw_config } = bodyOf<{ vectors: { size: number }; hnsw_config: object }>(request);
    collections.set(request.name, new Collection(vectors.size, hnsw_config));
    return true;
  },
  'PUT /collections/{collection_name}/index': (request, collections) => {
    const { field_name, field_schema } = bodyOf<{ field_name: string; field_schema: string | { type: string } }>(
      request,
    );
    const data_type = typeof field_schema === 'string' ? field_schema : field_schema.type;
    const params = typeof field_schema === 'string' ? {} : { params: field_schema };
    collectionOf(request, collections).indexes.set(field_name, { data_type, ...params });
    return updated;
  },
  'PUT /collections/{collection_name}/points': (request, collections) => {
    const { points } = bodyOf<{ points: { id: string; vector: number[]; payload: Payload }[] }>(request);
    collectionOf(request, collections).put(points);
    return updated;
  },
  'POST /collections/{collection_name}/points/delete': (request, collections) => {
    collectionOf(request, collections).remove(bodyOf<{ filter: QdrantFilter }>(request).filter);
    return updated;
  },
  'POST /collections/{collection_name}/points/query': (request, collections) => {
    const { query, filter, limit } = bodyOf<{ query: number[]; filter: QdrantFilter; limit: number }>(request);
    const points = collectionOf(request, collections).query(query, filter, limit);
    return { points: points.map(({ id, score, payload }) => ({ id, version: 1, score, payload })) };
  },
  'POST /collections/{collection_name}/points/scroll': (request, collections) => {
    const { filter, limit, offset } = bodyOf<{ filter: QdrantFilter; limit: number; offset?: string }>(request);
    const { points, next_page_offset } = collectionOf(request, collections).scroll(filter, limit, offset);
    return { points: points.map(({ id, payload }) => ({ id, payload })), next_page_offset };
  },
};

const infoOf = ({ size, hnsw, count, indexes }: Collection) => ({
  status: 'green',
  optimizer_status: 'ok',
  points_count: count,
  segments_count: 1,
  config: {
    params: { vectors: { size, distance: 'Cosine' } },
    hnsw_config: { m: 16, ef_construct: 100, full_scan_threshold: 10_000, ...hnsw },
    optimizer_config: {
      deleted_threshold: 0.2,
      vacuum_min_vector_number: 1_000,
      default_segment_number: 0,
      flush_interval_sec: 5,
    },
  },
  payload_schema: Object.fromEntries([...indexes].map(([key, index]) => [key, { ...index, points: count }])),
});
