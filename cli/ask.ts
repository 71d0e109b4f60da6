import { createInterface } from 'node:readline';

/** Input, output and Ctrl-C handler of a prompt. */
interface Keyboard {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  interrupt(): void;
}

/** Reads a line; `hidden` input is not shown. Null when the signal aborts, or input has ended. */
export function askPerson(
  { input, output, interrupt }: Keyboard,
  question: string,
  { hidden, signal }: { readonly hidden: boolean; readonly signal: AbortSignal },
): Promise<string | null> {
  return new Promise((resolve) => {
    output.write(question);
    const lines = createInterface({ input, output, terminal: true });
    // Hides the echo of the line editor.
    if (hidden) (lines as unknown as { _writeToOutput(text: string): void })._writeToOutput = () => undefined;
    const end = (answer: string | null): void => {
      // Resolved before the close, which would resolve with null.
      resolve(answer);
      signal.removeEventListener('abort', stop);
      lines.close();
      if (hidden) output.write('\n');
    };
    const stop = (): void => end(null);
    signal.addEventListener('abort', stop, { once: true });
    lines.once('line', end);
    // In raw mode Ctrl-C is a key, not a signal. The signal ends the question.
    lines.once('SIGINT', interrupt);
    lines.once('close', () => resolve(null));
  });
}
