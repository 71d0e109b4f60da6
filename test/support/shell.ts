import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from './until';

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** Fenced blocks of a text of Markdown, in their order. */
export const blocksIn = (text: string): Block[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', body = '']) => ({ language, text: body }));

/** What a block is expected to print: the block of `text` behind it. */
export const shownBehind = (blocks: readonly Block[], at: number): string =>
  blocks[at + 1]?.language === 'text' ? (blocks[at + 1] as Block).text : '';

/** Ids and times differ from day to day. */
export const plain = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .trim();

/** A bash that keeps its variables between blocks, as a terminal does. */
export class Shell {
  readonly #bash: ChildProcess;
  #output = '';

  constructor(cwd: string, env: Readonly<Record<string, string | undefined>> = {}) {
    this.#bash = spawn('bash', ['--norc', '--noprofile'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ...env },
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
