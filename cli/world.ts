import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { askPerson } from './ask';
import { Terminal } from './terminal';

/** The machine as a command sees it. Tests replace it. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly out: Terminal;
  readonly err: Terminal;
  /** Aborts when the command should end (SIGINT, or the reader of its output has closed). */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** All of standard input, as text. */
  readAll(): Promise<string>;
  /** Prompts at the terminal; `hidden` input is not shown. Null without a terminal. */
  ask(question: string, hidden?: boolean): Promise<string | null>;
  /** Opens a URL in the desktop's browser, if there is one. */
  browse(url: string): void;
}

/** The real machine. */
export function realWorld(signal: AbortSignal): World {
  const { env, stdout, stderr, stdin } = process;
  const colours = (stream: NodeJS.WriteStream): boolean => stream.isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
  const terminal = (stream: NodeJS.WriteStream): Terminal =>
    new Terminal((text) => void stream.write(text), { colours: colours(stream), live: colours(stream) });
  return {
    env,
    home: homedir(),
    cwd: process.cwd(),
    out: terminal(stdout),
    err: terminal(stderr),
    signal,
    now: Date.now,
    async readAll() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString('utf8');
    },
    ask: (question, hidden = false) =>
      stdin.isTTY ? askPerson(terminalOf(process), question, { hidden, signal }) : Promise.resolve(null),
    browse,
  };
}

const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer' };

function browse(url: string): void {
  const opener = spawn(OPENERS[process.platform] ?? 'xdg-open', [url], { detached: true, stdio: 'ignore' });
  // Without a desktop, the URL on standard output is enough.
  opener.on('error', () => undefined);
  opener.unref();
}

const terminalOf = ({ stdin, stderr, pid }: NodeJS.Process) => ({
  input: stdin,
  output: stderr,
  interrupt: () => void process.kill(pid, 'SIGINT'),
});
