import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Fenced blocks between a heading of the second level and the next one. */
function blocksOf(heading: string): Block[] {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const body = section.split('\n## ')[0] ?? '';
  return [...body.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }));
}

/** A bash that keeps its variables between blocks, as a terminal does. */
class Shell {
  readonly #bash: ChildProcess;
  #output = '';

  constructor(cwd: string) {
    this.#bash = spawn('bash', ['--norc', '--noprofile'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#bash.stdout, this.#bash.stderr])
      stream?.on('data', (chunk: Buffer) => (this.#output += chunk.toString()));
  }

  /** Runs a block; the exit code is that of its first command that failed, else 0. */
  async run(text: string): Promise<{ code: number; output: string }> {
    this.#output = '';
    this.#bash.stdin?.write(`set -o pipefail; failed=0; trap 'failed=$?' ERR\n${text}\necho "<<$failed>>"\n`);
    const end = await until(
      `the shell has run:\n${text}`,
      () => {
        if (this.#bash.exitCode !== null) throw new Error(`The shell ended:\n${this.#output}`);
        return /<<(\d+)>>\n$/.exec(this.#output);
      },
      30_000,
    );
    return { code: Number(end[1]), output: this.#output.slice(0, end.index) };
  }

  async close(): Promise<void> {
    const gone = once(this.#bash, 'exit');
    this.#bash.stdin?.end();
    await gone;
  }
}

/** Ids and times differ from day to day. */
const plain = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .trim();

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
      const shown = blocks[at + 1]?.language === 'text' ? (blocks[at + 1] as Block).text : '';
      expect({ text, code, output: plain(output) }).toEqual({ text, code: 0, output: plain(shown) });
    }
  }, 90_000);
});
