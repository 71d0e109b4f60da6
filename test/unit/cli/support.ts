import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers by method and path while the action runs; others with 404. */
export async function serveFrom(
  answers: Readonly<Record<string, (body: unknown) => readonly [number, object]>>,
  action: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const answer = answers[`${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`];
      const [status, body] = answer?.(text === '' ? null : JSON.parse(text)) ?? [404, { error: 'not there' }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await action(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
