import { homedir } from 'node:os';
import { askPerson } from './ask';
import { Terminal } from './terminal';

/** What a command has of the machine that it runs on. Tests give it another. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly out: Terminal;
  readonly err: Terminal;
  /** Set when the command is to end (SIGINT, or nobody reads what it writes). */
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** All of standard input, as text. */
  readAll(): Promise<string>;
  /** Asks the person in front of the terminal, without showing what is typed when `hidden`; null where there is none. */
  ask(question: string, hidden?: boolean): Promise<string | null>;
}

/** The machine as it is. */
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
  };
}

const terminalOf = ({ stdin, stderr, pid }: NodeJS.Process) => ({
  input: stdin,
  output: stderr,
  interrupt: () => void process.kill(pid, 'SIGINT'),
});
