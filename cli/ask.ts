import { createInterface } from 'node:readline';

/** Where a person types and reads, and what Ctrl-C does there. */
export interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  interrupt(): void;
}

/** A line that a person types; what is `hidden` is not shown. Null when the signal aborts, or nobody can type any more. */
export function askPerson(
  { input, output, interrupt }: Keyboard,
  question: string,
  { hidden, signal }: { readonly hidden: boolean; readonly signal: AbortSignal },
): Promise<string | null> {
  return new Promise((resolve) => {
    output.write(question);
    const lines = createInterface({ input, output, terminal: true });
    // What the line editor would show of each key is left out; it asks nothing itself.
    if (hidden) (lines as unknown as { _writeToOutput(text: string): void })._writeToOutput = () => undefined;
    const end = (answer: string | null): void => {
      // Before the close, which would end it with null.
      resolve(answer);
      signal.removeEventListener('abort', stop);
      lines.close();
      if (hidden) output.write('\n');
    };
    const stop = (): void => end(null);
    signal.addEventListener('abort', stop, { once: true });
    lines.once('line', end);
    // In raw mode Ctrl-C is a key, not a signal. The signal, once sent, ends the question.
    lines.once('SIGINT', interrupt);
    lines.once('close', () => resolve(null));
  });
}
