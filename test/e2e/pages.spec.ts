import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { blocksIn, plain, Shell, shownBehind } from '../support/shell';

const ROOT = join(__dirname, '..', '..');

/** What the pages take from the README: an account, its token, and a workflow that has been started once. */
const before = (url: string): string => `
API=${url}
json() { node -pe "JSON.parse(require('fs').readFileSync(0))$1"; }
TOKEN=$(curl -sS $API/api/v1/auth/register -H 'content-type: application/json' -d '{
  "tenant_slug": "acme", "tenant_name": "Acme", "email": "you@example.com", "password": "choose-a-long-one" }' | json .token)
me() { curl -sS -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' "$@"; }
ID=$(me $API/api/v1/workflows -d '{ "name": "Order intake", "dsl": { "id": "order", "trigger": { "type": "http", "config": {} },
  "steps": [ { "id": "note", "type": "log", "config": { "message": "taken" } } ] } }' | json .id)
curl -sS -o /dev/null $API/webhooks/$ID/sync -d '{}'
`;

describe('pages whose commands go on from the README', () => {
  let folder: string;
  let server: ServerProcess;
  let shell: Shell;

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-pages-'));
    await cp(join(ROOT, 'README.md'), join(folder, 'README.md'));
    server = await startServer({ dataDir: join(folder, 'data'), port: await freePort() });
    shell = new Shell(folder);
    expect(await shell.run(before(server.url))).toEqual({ code: 0, output: '' });
  }, 60_000);
  afterAll(async () => {
    await shell?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['knowledge', 'workflows', 'webhooks', 'audit'])(
    '%s.md: every command is answered as it should',
    async (page) => {
      const blocks = blocksIn(readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8'));
      const commands = [...blocks.entries()].filter(([, { language }]) => language === 'bash');
      expect(commands).not.toEqual([]);
      for (const [at, { text }] of commands) {
        const { code, output } = await shell.run(text);
        expect({ text, code }).toEqual({ text, code: 0 });
        expect(output).not.toMatch(/"error"|undefined|TypeError/);
        const shown = shownBehind(blocks, at);
        if (shown !== '') expect(plain(output)).toBe(plain(shown));
      }
    },
    60_000,
  );
});
