import { parseArgs } from 'node:util';
import type { Session } from './session';
import { CliError, type ExitName } from './exits';

/** An option: a switch, or one that takes a text. `value` names the text in the help. */
export type OptionSpec =
  | { readonly type: 'boolean'; readonly help: string }
  | { readonly type: 'string'; readonly value: string; readonly help: string };

/** A word of the command line that is no option. The last may be `many`. */
export interface ArgumentSpec {
  readonly name: string;
  readonly optional?: boolean;
  readonly many?: boolean;
}

type ValueOf<S extends OptionSpec> = S extends { readonly type: 'boolean' } ? boolean : string | undefined;

type Values<O extends Readonly<Record<string, OptionSpec>>> = {
  readonly [K in keyof O]: ValueOf<O[K]>;
};

/** What a command runs with. `args` are as many as the table of its arguments allows. */
export interface Call<O extends Readonly<Record<string, OptionSpec>>> {
  readonly args: readonly string[];
  readonly options: Values<O>;
  readonly session: Session;
}

/** A row of the table of commands. */
export interface Command {
  /** Words by which it is called: `workflow push`. */
  readonly name: string;
  readonly summary: string;
  readonly args: readonly ArgumentSpec[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** More lines for its help. */
  readonly notes: readonly string[];
  run(call: Call<Readonly<Record<string, OptionSpec>>>): Promise<ExitName>;
}

/** Options of every command. */
export const COMMON = {
  json: { type: 'boolean', help: 'JSON on stdout, JSON lines where it goes on (watch, logs)' },
  profile: { type: 'string', value: 'NAME', help: 'another profile than the current one' },
  help: { type: 'boolean', help: 'this text' },
} as const satisfies Record<string, OptionSpec>;

/** A command whose `run` knows which options it has. */
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
    // `parseLine` has read the options by the very table that the type was made of.
    run: (call) => run(call as unknown as Call<O>),
  };
}

/** The words behind the command's name, by its table. @throws CliError (usage) */
export function parseLine({ name, args: table, options }: Command, words: readonly string[]) {
  const all: Readonly<Record<string, OptionSpec>> = { ...options, ...COMMON };
  const types = Object.fromEntries(Object.entries(all).map(([key, { type }]) => [key, { type }]));
  const { values, positionals } = parsed(name, () =>
    parseArgs({ args: [...words], options: types, allowPositionals: true, strict: true }),
  );
  // A missing switch is false; a missing text stays undefined.
  const read = Object.fromEntries(
    Object.entries(all).map(([key, { type }]) => [key, values[key] ?? (type === 'boolean' ? false : undefined)]),
  ) as Values<Readonly<Record<string, OptionSpec>>>;
  if (read.help !== true) checkCount(name, table, positionals);
  return { args: positionals, options: read };
}

function parsed<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('ERR_PARSE_ARGS') !== true) throw cause;
    throw new CliError('usage', `${message.split('. ')[0]}; see everstep help ${name}`, { cause });
  }
}

function checkCount(name: string, table: readonly ArgumentSpec[], given: readonly string[]): void {
  const missing = table.filter(({ optional }) => optional !== true)[given.length];
  if (missing !== undefined) throw new CliError('usage', `${missing.name} is missing; see everstep help ${name}`);
  const extra = given[table.length];
  if (extra !== undefined && table.at(-1)?.many !== true)
    throw new CliError('usage', `"${extra}" is one word too many; see everstep help ${name}`);
}
