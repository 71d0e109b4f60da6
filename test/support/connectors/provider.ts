import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';

/** A request to a provider. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A provider's API on loopback: a server with scripted answers. */
export interface Provider {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** The answer to the request of that number, counted from 0. `{{server}}` in texts stands for the provider's URL. */
export type Script = (request: SeenRequest, number: number) => CaseAnswer | Promise<CaseAnswer>;

export async function startProvider(script: Script): Promise<Provider> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const answer = async (): Promise<void> => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const entry = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers,
        text: Buffer.concat(chunks).toString(),
      };
      const number = seen.push(entry) - 1;
      const { status = 200, headers: own = {}, cut, ...content } = await script(entry, number);
      if (cut === true) return void request.socket.destroy();
      const placed = (text: string): string => text.replaceAll('{{server}}', url());
      const all = {
        ...typeOf(content),
        ...Object.fromEntries(Object.entries(own).map(([name, text]) => [name, placed(text)])),
      };
      response.writeHead(status, all);
      response.end(bytesOf(content, placed));
    };
    request.on('end', () => {
      answer().catch((fault: unknown) => response.destroy(fault as Error));
    });
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: url(),
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Content = Pick<CaseAnswer, 'json' | 'text' | 'base64'>;

function typeOf({ json, text }: Content): Record<string, string> {
  if (json !== undefined) return { 'content-type': 'application/json; charset=utf-8' };
  return text === undefined ? {} : { 'content-type': 'text/plain; charset=utf-8' };
}

function bytesOf({ json, text, base64 }: Content, placed: (text: string) => string): Buffer {
  if (json !== undefined) return Buffer.from(placed(JSON.stringify(json)));
  return base64 === undefined ? Buffer.from(placed(text ?? '')) : Buffer.from(base64, 'base64');
}
