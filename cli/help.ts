import { COMMON, type Command, type OptionSpec } from './command';

/** Usage and options of a command. Pure. */
export function helpOf({ name, summary, args, options, notes }: Command): string[] {
  return [
    `everstep ${[name, ...args.map(shownArgument), '[options]'].join(' ')}`,
    '',
    `  ${summary}.`,
    ...notes.map((note) => `  ${note}`),
    '',
    ...rows(Object.entries({ ...options, ...COMMON }).map(([key, spec]) => [shownOption(key, spec), spec.help])),
  ];
}

/** Overview of all commands. Pure. */
export function overview(commands: readonly Command[]): string[] {
  const words = (command: Command): string => [command.name, ...command.args.map(shownArgument)].join(' ');
  return [
    'everstep COMMAND',
    '',
    ...rows(commands.map((command) => [words(command), command.summary])),
    '',
    'everstep help COMMAND shows the details of a command. Exit codes: 0 done, 1 differs or has failed, 2 usage, 3 not signed in,',
    '4 not found, 5 refused, 6 unreachable, 130 interrupted.',
  ];
}

/** Formats two columns. Pure. */
function rows(cells: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...cells.map(([left]) => left.length)) + 2;
  return cells.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}

const shownArgument = ({ name, optional, many }: Command['args'][number]): string => {
  const word = many === true ? `${name}...` : name;
  return optional === true ? `[${word}]` : word;
};

const shownOption = (key: string, spec: OptionSpec): string =>
  spec.type === 'boolean' ? `--${key}` : `--${key} ${spec.value}`;
