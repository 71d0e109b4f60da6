import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { blocksIn, plain, Shell, shownBehind } from '../support/shell';
import { zip } from '../support/zip';

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

const SKILL = `---
name: invoice-check
description: Checks invoices for what they must have
version: 1.0.0
---
Look at the number, the date and the sum.
`;

describe('pages whose commands go on from the README', () => {
  let folder: string;
  let server: ServerProcess;
  let shell: Shell;

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-pages-'));
    await cp(join(ROOT, 'README.md'), join(folder, 'README.md'));
    await writeFile(join(folder, 'invoice-check.zip'), zip([{ name: 'SKILL.md', content: SKILL }]));
    server = await startServer({ dataDir: join(folder, 'data'), port: await freePort() });
    shell = new Shell(folder);
    expect(await shell.run(before(server.url))).toEqual({ code: 0, output: '' });
  }, 60_000);
  afterAll(async () => {
    await shell?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['knowledge', 'skills', 'workflows', 'webhooks', 'audit'])(
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
