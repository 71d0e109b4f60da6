import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { type Block, blocksIn, plain, Shell, shownBehind } from '../support/shell';
import { zip } from '../support/zip';

const ROOT = join(__dirname, '..', '..');

/** In the order in which a newcomer reads them. All on one server, in one shell, in the folder of the checkout. */
const PAGES = [
  'README.md',
  'docs/getting-started.md',
  'docs/cli.md',
  'docs/webhooks.md',
  'docs/schedules.md',
  'docs/forms.md',
  'docs/chat.md',
  'docs/branding.md',
  'docs/knowledge.md',
  'docs/skills.md',
  'docs/workflows.md',
  'docs/evaluations.md',
  'docs/flow-control.md',
  'docs/audit.md',
  'docs/alerts.md',
  'docs/workflow-tests.md',
];

const SKILL = `---
name: invoice-check
description: Checks invoices for what they must have
version: 1.0.0
---
Look at the number, the date and the sum.
`;

/** Only the tour of the README; the rest is about installations. */
function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  if (page !== 'README.md') return blocksIn(text);
  return blocksIn((text.split('\n## First workflow in five minutes\n')[1] ?? '').split('\n## ')[0] ?? '');
}

/** Tables have columns as wide as what is in them. */
const squeezed = (text: string): string => plain(text).replace(/ {2,}/g, '  ');

describe('the pages, read one after the other on one server', () => {
  let folder: string;
  let port: number;
  let server: ServerProcess | undefined;
  let shell: Shell;

  /** A server that runs stays; one that was killed, or whose command names its environment, starts. */
  const start = async (command: string): Promise<void> => {
    const [, env] = /^(?:(EGRESS_ALLOW=\S+) |npm ci && )?npm start\n$/.exec(command) ?? [null];
    if (env === null) throw new Error(`Not a command that starts the server: ${command}`);
    if (server !== undefined && env === undefined && (await isUp())) return;
    await server?.kill();
    const variables = env === undefined ? {} : Object.fromEntries([env.split('=') as [string, string]]);
    server = await startServer({ dataDir: join(folder, 'data'), port, env: variables });
  };

  const isUp = (): Promise<boolean> =>
    fetch(`http://localhost:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-pages-'));
    await cp(join(ROOT, 'README.md'), join(folder, 'README.md'));
    await symlink(join(ROOT, 'cli'), join(folder, 'cli'));
    await writeFile(join(folder, 'invoice-check.zip'), zip([{ name: 'SKILL.md', content: SKILL }]));
    port = await freePort();
    shell = new Shell(folder);
  }, 60_000);
  afterAll(async () => {
    await shell?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(PAGES)(
    '%s: every block prints what the page shows',
    async (page) => {
      const here = (text: string): string => text.replaceAll('localhost:3000', `localhost:${port}`);
      const blocks = blocksOf(page);
      expect(blocks.filter(({ language }) => language === 'bash')).not.toEqual([]);
      for (const [at, { language, text }] of blocks.entries()) {
        if (language === 'sh') await start(text);
        if (language !== 'bash') continue;
        const { code, output } = await shell.run(here(text));
        const shown = shownBehind(blocks, at);
        if (shown === '') expect(output).not.toMatch(/"error"|undefined|TypeError/);
        expect({ text, code, output: shown === '' ? '' : squeezed(output) }).toEqual({
          text,
          code: 0,
          output: squeezed(here(shown)),
        });
      }
    },
    120_000,
  );
});
