import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { binFolder } from '../support/command-line';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { blocksIn, plain, Shell, shownBehind } from '../support/shell';

const blocks = blocksIn(readFileSync(join(__dirname, '..', '..', 'docs', 'getting-started.md'), 'utf8'));
/** Tables have columns as wide as what is in them. */
const squeezed = (text: string): string => plain(text).replace(/ {2,}/g, '  ');

describe('the page for those who get started', () => {
  let folder: string;
  let port: number;
  let server: ServerProcess | undefined;
  let shell: Shell;

  beforeAll(async () => {
    buildOnce();
    folder = await mkdtemp(join(tmpdir(), 'everstep-started-'));
    port = await freePort();
    shell = new Shell(folder, { PATH: `${binFolder(folder)}${delimiter}${process.env.PATH}` });
  }, 60_000);
  afterAll(async () => {
    await shell.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('does what it shows, over a server that is killed', async () => {
    const told = (words: string): string => words.replaceAll('localhost:3000', `localhost:${port}`);
    expect(blocks.filter(({ language }) => language === 'sh')).toHaveLength(2);
    for (const [at, { language, text }] of blocks.entries()) {
      if (language === 'sh') {
        expect(text).toMatch(/npm start\n$/);
        await server?.kill();
        server = await startServer({ dataDir: join(folder, 'data'), port });
      }
      if (language !== 'bash') continue;
      const { code, output } = await shell.run(told(text));
      expect({ text, code, output: squeezed(output) }).toEqual({
        text,
        code: 0,
        output: squeezed(told(shownBehind(blocks, at))),
      });
    }
  }, 120_000);
});
