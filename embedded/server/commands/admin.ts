import { ServerError } from '../../bson/error';
import { isNumeric, toDouble } from '../../bson/numeric';
import type { CommandTable, Context } from '../context';
import { members, ok, type Reply } from '../reply';

const PARAMETERS = { featureCompatibilityVersion: members({ version: '8.0' }) };

function getParameter({ command }: Context): Reply {
  const all = command.value('getParameter') === '*' || command.boolean('allParameters');
  const found = Object.entries(PARAMETERS).filter(([name]) => all || command.has(name));
  if (found.length === 0) throw new ServerError('InvalidOptions', 'no option found to get');
  return ok(Object.fromEntries(found));
}

function currentOp({ server }: Context): Reply {
  const now = Date.now();
  const inprog = [...server.operations.values()].map(({ id, command, namespace, startedAtMs }) =>
    members({
      opid: id,
      op: 'command',
      active: true,
      command,
      ns: namespace,
      microsecs_running: BigInt((now - startedAtMs) * 1000),
    }),
  );
  return ok({ inprog });
}

/** Ends an operation at its next time check; a finished one is no error, as in MongoDB. */
function killOp({ server, command }: Context): Reply {
  const id = command.value('op');
  if (id === undefined || !isNumeric(id)) throw new ServerError('TypeMismatch', 'op must be a number');
  server.operations.get(toDouble(id))?.timeSlice.kill();
  return ok({ info: 'attempting to kill op' });
}

function configureFailPoint({ server, command }: Context): Reply {
  server.failPoints.configure(
    command.value('configureFailPoint'),
    command.value('mode'),
    command.doc('data') ?? new Map(),
  );
  return ok();
}

function whatsmyuri({ session }: Context): Reply {
  return ok({ you: `connection:${session.id}` });
}

export const ADMIN: CommandTable = {
  getParameter: { kind: 'instant', adminOnly: true, run: getParameter },
  currentOp: { kind: 'instant', adminOnly: true, run: currentOp },
  killOp: { kind: 'instant', adminOnly: true, run: killOp },
  configureFailPoint: { kind: 'instant', adminOnly: true, run: configureFailPoint },
  whatsmyuri: { kind: 'instant', run: whatsmyuri },
  getLog: { kind: 'instant', adminOnly: true, run: () => ok({ totalLinesWritten: 0, log: [] }) },
  getCmdLineOpts: { kind: 'instant', adminOnly: true, run: () => ok({ argv: [], parsed: members({}) }) },
};
