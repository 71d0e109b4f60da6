import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { type Block, blocksIn, plain, Shell, shownBehind } from '../support/shell';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

/** Fenced blocks between a heading of the second level and the next one. */
function blocksOf(heading: string): Block[] {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const body = section.split('\n## ')[0] ?? '';
  return blocksIn(body);
}

describe("the README's first workflow", () => {
  const blocks = blocksOf('First workflow in five minutes');
  let folder: string;
  let port: number;
  let shell: Shell;
  let server: ServerProcess | undefined;

  const start = async (command: string): Promise<void> => {
    const [, hosts] = /^EGRESS_ALLOW=(\S+) npm start\n$/.exec(command) ?? [];
    if (hosts === undefined) throw new Error(`Not a command that starts the server: ${command}`);
    await server?.kill();
    server = await startServer({ dataDir: join(folder, 'data'), port, env: { EGRESS_ALLOW: hosts } });
  };

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-readme-'));
    port = await freePort();
    shell = new Shell(folder);
  }, 60_000);

  afterAll(async () => {
    await shell.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows commands, their output, and two starts of the server', () => {
    expect(blocks.filter(({ language }) => language === 'bash').length).toBeGreaterThan(8);
    expect(blocks.filter(({ language }) => language === 'sh')).toHaveLength(2);
  });

  it('runs as it is written, and prints what it shows', async () => {
    for (const [at, { language, text }] of blocks.entries()) {
      const told = text.replaceAll('localhost:3000', `localhost:${port}`);
      if (language === 'sh') await start(text);
      if (language !== 'bash') continue;
      const { code, output } = await shell.run(told);
      expect({ text, code, output: plain(output) }).toEqual({ text, code: 0, output: plain(shownBehind(blocks, at)) });
    }
  }, 90_000);
});
