import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../cli/program';
import { Terminal } from '../../../cli/terminal';
import type { World } from '../../../cli/world';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** A machine with its own home folder, and the output of its commands. */
export function machine(env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'everstep-cli-'));
  homes.push(home);
  const output = { out: '', err: '' };
  const look = { colours: false, live: false };
  const world: World = {
    env,
    home,
    cwd: home,
    out: new Terminal((text) => (output.out += text), look),
    err: new Terminal((text) => (output.err += text), look),
    signal: new AbortController().signal,
    now: () => 0,
    readAll: async () => 'evs_key\n',
    ask: async () => null,
    browse: () => undefined,
  };
  return { world, output, home, run: (...words: string[]) => runProgram(words, world) };
}

/** Serves while the action runs. */
export async function serving(
  answer: RequestListener,
  action: (url: string, server: Server) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await action(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A server that responds by method and path, and records its requests. */
export const talking = async (
  answers: Readonly<Record<string, unknown>>,
  action: (
    run: (...words: string[]) => Promise<string>,
    seen: string[],
    made: ReturnType<typeof machine>,
  ) => Promise<void>,
): Promise<void> => {
  const seen: string[] = [];
  const serve: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const line = `${request.method} ${(request.url ?? '').split('?')[0]}`;
      seen.push(body === '' || body === '{}' ? line : `${line} ${body}`);
      const answer = answers[line];
      response.writeHead(answer === undefined ? 404 : answer === null ? 204 : 200, {
        'content-type': 'application/json',
      });
      response.end(answer === null ? '' : JSON.stringify(answer ?? { error: 'There is nothing', code: 'not_found' }));
    });
  };
  await serving(serve, async (url) => {
    const made = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_key' });
    await action((...words) => made.run(...words), seen, made);
  });
};
