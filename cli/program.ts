import { VERSION } from '../start/version';
import { approvals, approve, logs } from './commands/steps';
import { logout, whoami } from './commands/account';
import { login } from './commands/login';
import { cancel, list as listRuns, retry, start, watch } from './commands/run';
import { diff, list, pull, push, validate } from './commands/workflow';
import { type Command, command, parseLine } from './command';
import { CliError, type ExitName } from './exits';
import { helpOf, overview } from './help';
import { Session } from './session';
import type { World } from './world';

const version = command({
  name: 'version',
  summary: 'Says the version of this program',
  async run({ session }) {
    session.answer({ version: VERSION }, () => session.world.out.line(VERSION));
    return 'ok';
  },
});

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  login,
  logout,
  whoami,
  list,
  push,
  pull,
  diff,
  validate,
  start,
  listRuns,
  watch,
  cancel,
  retry,
  logs,
  approvals,
  approve,
  version,
];

/** Runs one command line. All that goes wrong is told on stderr, and the answer says how it ended. */
export async function runProgram(words: readonly string[], world: World): Promise<ExitName> {
  const json = words.includes('--json');
  try {
    return await dispatch(words, world);
  } catch (fault) {
    if (!(fault instanceof CliError)) throw fault;
    world.err.status('');
    const exit = world.signal.aborted ? 'interrupted' : fault.exit;
    const message = exit === 'interrupted' ? 'interrupted' : fault.message;
    const { code, details = [] } = fault.more;
    if (json) world.err.json({ error: message, exit, ...(code === undefined ? {} : { code }), details });
    else {
      world.err.line(`everstep: ${message}`);
      for (const each of details)
        world.err.line(`  ${each.path}: ${each.message}${each.hint ? ` (${each.hint})` : ''}`);
    }
    return exit;
  }
}

async function dispatch(words: readonly string[], world: World): Promise<ExitName> {
  const [first, ...rest] = words;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return help(rest, world);
  if (first === '--version') return dispatch(['version', ...rest], world);
  const found = COMMANDS.filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))[0];
  if (found === undefined) throw new CliError('usage', `there is no command "${namesOf(words)}"; see everstep help`);
  const { args, options } = parseLine(found, words.slice(found.name.split(' ').length));
  if (options.help === true) return help([found.name], world);
  const profile = typeof options.profile === 'string' ? options.profile : undefined;
  return found.run({ args, options, session: new Session(world, options.json === true, profile) });
}

/** The words before the first option. */
const namesOf = (words: readonly string[]): string => {
  const end = words.findIndex((word) => word.startsWith('-'));
  return words.slice(0, end < 0 ? 2 : end).join(' ');
};

function help(words: readonly string[], { out }: World): ExitName {
  const name = namesOf(words);
  const found = COMMANDS.filter((each) => each.name === name || each.name.startsWith(`${name} `));
  if (name !== '' && found.length === 0)
    throw new CliError('usage', `there is no command "${name}"; see everstep help`);
  const [only] = found;
  const lines = found.length === 1 && only !== undefined ? helpOf(only) : overview(name === '' ? COMMANDS : found);
  for (const line of lines) out.line(line);
  return 'ok';
}
