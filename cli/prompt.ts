import { CliError } from './exits';
import type { World } from './world';

/** Asks the user at the terminal. @throws CliError without an answer; `option` is the alternative */
export async function askFor(world: World, question: string, option: string, hidden = false): Promise<string> {
  const answer = await world.ask(question, hidden);
  if (answer !== null && answer !== '') return answer;
  throw new CliError(
    world.signal.aborted ? 'interrupted' : 'usage',
    `there is no answer to "${question.trim()}"; use ${option}`,
  );
}

/** The first line, without its line break, which `echo` adds. */
export const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0] ?? '';
