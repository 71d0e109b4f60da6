import { ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/value';

/** The effect of a fail point on a command. */
export interface Fault {
  readonly error?: ServerError;
  readonly labels: readonly string[];
  readonly closeConnection: boolean;
  readonly blockMs: number;
  readonly writeConcernError?: Doc;
}

type Mode = { kind: 'always' } | { kind: 'times'; left: number } | { kind: 'skip'; left: number } | { kind: 'off' };

interface FailPoint {
  readonly commands: ReadonlySet<string>;
  readonly fault: Fault;
  mode: Mode;
}

/** The `failCommand` fail point, for tests of clients; only if the server was opened for tests. */
export class FailPoints {
  private point: FailPoint | undefined;

  /** @throws ServerError 72 for another fail point, 9 for an invalid mode */
  configure(name: Maybe, mode: Maybe, data: Doc): void {
    if (name !== 'failCommand') throw new ServerError('InvalidOptions', `fail point is not supported: ${String(name)}`);
    const parsed = parseMode(mode);
    this.point = parsed.kind === 'off' ? undefined : { mode: parsed, commands: commandsOf(data), fault: faultOf(data) };
  }

  /** The fault for this command now, decrementing its count. */
  strike(command: string): Fault | undefined {
    const point = this.point;
    if (point === undefined || !point.commands.has(command)) return undefined;
    switch (point.mode.kind) {
      case 'off':
        return undefined;
      case 'always':
        return point.fault;
      case 'skip':
        if (point.mode.left-- > 0) return undefined;
        point.mode = { kind: 'always' };
        return point.fault;
      case 'times':
        if (--point.mode.left <= 0) this.point = undefined;
        return point.fault;
    }
  }
}

function parseMode(mode: Maybe): Mode {
  if (mode === 'off') return { kind: 'off' };
  if (mode === 'alwaysOn') return { kind: 'always' };
  const times = isDoc(mode) ? mode.get('times') : undefined;
  if (times !== undefined && isNumeric(times)) return { kind: 'times', left: toDouble(times) };
  const skip = isDoc(mode) ? mode.get('skip') : undefined;
  if (skip !== undefined && isNumeric(skip)) return { kind: 'skip', left: toDouble(skip) };
  throw new ServerError('FailedToParse', 'unknown fail point mode');
}

const strings = (value: Maybe): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

const commandsOf = (data: Doc): Set<string> => new Set(strings(data.get('failCommands')));

function faultOf(data: Doc): Fault {
  const number = (value: Maybe): number => (value !== undefined && isNumeric(value) ? toDouble(value) : 0);
  const code = number(data.get('errorCode'));
  const concern: Value | undefined = data.get('writeConcernError');
  return {
    error: data.has('errorCode') ? new ServerError(code, "Failing command via 'failCommand' failpoint") : undefined,
    labels: strings(data.get('errorLabels')),
    closeConnection: data.get('closeConnection') === true,
    blockMs: data.get('blockConnection') === true ? number(data.get('blockTimeMS')) : 0,
    writeConcernError: isDoc(concern) ? concern : undefined,
  };
}
