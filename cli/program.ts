import { VERSION } from '../start/version';
import { approvals, approve, logs } from './commands/steps';
import * as alert from './commands/alert';
import * as audit from './commands/audit';
import { logout, whoami } from './commands/account';
import { connectors, nodes } from './commands/catalogue';
import { login } from './commands/login';
import { open } from './commands/open';
import { register } from './commands/register';
import { cancel, document, list as listRuns, logs as runLogs, retry, start, watch } from './commands/run';
import { compareRuns } from './commands/run-compare';
import { pauseRun, resumeRun } from './commands/run-pause';
import { approveWorkflow, diff, list, pull, push, validate } from './commands/workflow';
import * as dataset from './commands/dataset';
import * as evaluation from './commands/eval';
import * as connection from './commands/connection';
import * as oauthApp from './commands/oauth-app';
import * as folder from './commands/folder';
import * as key from './commands/key';
import * as member from './commands/member';
import { listQueues } from './commands/queue';
import { showUsage } from './commands/usage';
import * as secret from './commands/secret';
import { backfill, fire, listSchedules, pause, resume, schedule } from './commands/schedule';
import { test } from './commands/test';
import { disable, enable, remove } from './commands/workflow-state';
import { type Command, command, parseLine } from './command';
import { CliError, type ExitName } from './exits';
import { helpOf, overview } from './help';
import { Session } from './session';
import type { World } from './world';
import { didYouMean } from '../dsl/suggest';

const version = command({
  name: 'version',
  summary: 'Shows the version of this program',
  async run({ session }) {
    session.answer({ version: VERSION }, () => session.world.out.line(VERSION));
    return 'ok';
  },
});

/** All commands, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  register,
  login,
  logout,
  whoami,
  list,
  push,
  pull,
  diff,
  validate,
  test,
  approveWorkflow,
  enable,
  disable,
  remove,
  start,
  listSchedules,
  pause,
  resume,
  fire,
  backfill,
  schedule,
  folder.list,
  folder.access,
  folder.restrict,
  folder.open,
  folder.reset,
  listQueues,
  showUsage,
  listRuns,
  watch,
  runLogs,
  document,
  compareRuns,
  pauseRun,
  resumeRun,
  cancel,
  retry,
  logs,
  approvals,
  approve,
  alert.list,
  alert.create,
  alert.test,
  alert.mute,
  alert.history,
  alert.remove,
  dataset.list,
  dataset.create,
  dataset.importRows,
  dataset.exportRows,
  evaluation.run,
  evaluation.list,
  evaluation.showOne,
  evaluation.compare,
  evaluation.cancel,
  secret.list,
  secret.set,
  secret.remove,
  audit.list,
  audit.verify,
  key.list,
  key.create,
  key.rotate,
  key.revoke,
  member.list,
  member.invite,
  member.addService,
  member.setRole,
  member.remove,
  oauthApp.presets,
  oauthApp.list,
  oauthApp.create,
  oauthApp.remove,
  connection.list,
  connection.connect,
  connection.limits,
  nodes,
  connectors,
  open,
  version,
];

/** Runs a command line. Prints errors on stderr; returns the exit. */
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
        world.err.line(
          `  ${each.path === '' ? '' : `${each.path}: `}${each.message}${each.hint ? ` (${each.hint})` : ''}`,
        );
    }
    return exit;
  }
}

async function dispatch(words: readonly string[], world: World): Promise<ExitName> {
  const [first, ...rest] = words;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') return help(rest, world);
  if (first === '--version') return dispatch(['version', ...rest], world);
  const found = COMMANDS.filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))[0];
  if (found === undefined) throw unknownCommand(namesOf(words));
  const { args, options } = parseLine(found, words.slice(found.name.split(' ').length));
  if (options.help === true) return help([found.name], world);
  const profile = typeof options.profile === 'string' ? options.profile : undefined;
  return found.run({ args, options, session: new Session(world, options.json === true, profile) });
}

/** An unknown command, with a suggestion; for a group such as `workflow`, its commands. */
function unknownCommand(name: string): CliError {
  const [group = ''] = name.split(' ');
  const own = COMMANDS.filter((each) => each.name.startsWith(`${group} `)).map((each) => each.name);
  const known = COMMANDS.map((each) => each.name);
  const hint = didYouMean(name, own) ?? didYouMean(name, known) ?? didYouMean(group, known);
  const commands = own.length > 0 && name === group ? `there are ${own.join(', ')}` : (hint ?? 'see everstep help');
  return new CliError('usage', `there is no command "${name}"; ${commands}`);
}

/** The words before the first option. */
const namesOf = (words: readonly string[]): string => {
  const end = words.findIndex((word) => word.startsWith('-'));
  return words.slice(0, end < 0 ? 2 : end).join(' ');
};

function help(words: readonly string[], { out }: World): ExitName {
  const name = namesOf(words);
  const exact = COMMANDS.filter((each) => each.name === name);
  const found = exact.length > 0 ? exact : COMMANDS.filter((each) => each.name.startsWith(`${name} `));
  if (name !== '' && found.length === 0) throw unknownCommand(name);
  const [only] = found;
  const lines = found.length === 1 && only !== undefined ? helpOf(only) : overview(name === '' ? COMMANDS : found);
  for (const line of lines) out.line(line);
  return 'ok';
}
