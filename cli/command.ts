import { parseArgs } from 'node:util';
import type { Session } from './session';
import { CliError, type ExitName } from './exits';
import { nearest } from '../dsl/suggest';

/** An option: a flag, or one with a value, which `value` names in the help. */
export type OptionSpec =
  | { readonly type: 'boolean'; readonly help: string }
  | { readonly type: 'string'; readonly value: string; readonly help: string };

/** A positional argument. The last may be `many`. */
interface ArgumentSpec {
  readonly name: string;
  readonly optional?: boolean;
  readonly many?: boolean;
}

type ValueOf<S extends OptionSpec> = S extends { readonly type: 'boolean' } ? boolean : string | undefined;

type Values<O extends Readonly<Record<string, OptionSpec>>> = {
  readonly [K in keyof O]: ValueOf<O[K]>;
};

/** Input of a command. `args` match its declared arguments. */
interface Call<O extends Readonly<Record<string, OptionSpec>>> {
  readonly args: readonly string[];
  readonly options: Values<O>;
  readonly session: Session;
}

/** A command. */
export interface Command {
  /** The words that call it: `workflow push`. */
  readonly name: string;
  readonly summary: string;
  readonly args: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Further lines of its help. */
  readonly notes: readonly string[];
  run(call: Call<Readonly<Record<string, OptionSpec>>>): Promise<ExitName>;
}

/** Options of every command. */
export const COMMON = {
  json: { type: 'boolean', help: 'JSON on stdout, JSON lines for streams (watch, logs)' },
  profile: { type: 'string', value: 'NAME', help: 'profile to use instead of the current one' },
  help: { type: 'boolean', help: 'this text' },
} as const satisfies Record<string, OptionSpec>;

/** Declares a command with typed options. */
export function command<const O extends Readonly<Record<string, OptionSpec>>>(spec: {
  readonly name: string;
  readonly summary: string;
  readonly args?: readonly ArgumentSpec[];
  readonly options?: O;
  readonly notes?: readonly string[];
  run(call: Call<O>): Promise<ExitName>;
}): Command {
  const { run } = spec;
  return {
    args: [],
    options: {},
    notes: [],
    ...spec,
    // `parseLine` parsed the options by the declaration that the type comes from.
    run: (call) => run(call as unknown as Call<O>),
  };
}

/** Parses the words after the command's name. @throws CliError (usage) */
export function parseLine({ name, args: table, options }: Command, words: readonly string[]) {
  const all: Readonly<Record<string, OptionSpec>> = { ...options, ...COMMON };
  const types = Object.fromEntries(Object.entries(all).map(([key, { type }]) => [key, { type }]));
  const { values, positionals } = parsed(name, Object.keys(all), () =>
    parseArgs({ args: [...words], options: types, allowPositionals: true, strict: true }),
  );
  // A missing flag is false; a missing value stays undefined.
  const read = Object.fromEntries(
    Object.entries(all).map(([key, { type }]) => [key, values[key] ?? (type === 'boolean' ? false : undefined)]),
  ) as Values<Readonly<Record<string, OptionSpec>>>;
  if (read.help !== true) checkCount(name, table, positionals);
  return { args: positionals, options: read };
}

function parsed<T>(name: string, options: readonly string[], parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS') !== true) throw cause;
    const unknown = /^Unknown option '-+([^' ]+)'/.exec(message)?.[1];
    const meant = unknown === undefined ? null : nearest(unknown, options);
    const hint = meant === null ? '' : `; did you mean --${meant}?`;
    throw new CliError('usage', `${message.split('. ')[0]}${hint}; see everstep help ${name}`, { cause });
  }
}

function checkCount(name: string, table: readonly ArgumentSpec[], given: readonly string[]): void {
  const missing = table.filter(({ optional }) => optional !== true)[given.length];
  if (missing !== undefined) throw new CliError('usage', `${missing.name} is missing; see everstep help ${name}`);
  const extra = given[table.length];
  if (extra !== undefined && table.at(-1)?.many !== true)
    throw new CliError('usage', `unexpected argument "${extra}"; see everstep help ${name}`);
}
