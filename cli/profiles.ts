import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../lib/json';
import { CliError } from './exits';
import { underLock } from './file-lock';
import type { World } from './world';

/** A server and its credential: an access token or an API key. */
export interface Profile {
  readonly url: string;
  readonly credential: string;
  readonly kind: 'token' | 'api_key';
}

/** The stored profiles. */
interface Book {
  readonly current: string;
  readonly profiles: ReadonlyMap<string, Profile>;
}

const EMPTY: Book = { current: 'default', profiles: new Map() };
const NAME = /^[\w.-]{1,64}$/;

/** Profiles in `credentials.json` of the XDG config folder, readable by its owner only. */
export class Profiles {
  readonly path: string;

  constructor(private readonly world: World) {
    // The specification requires ignoring relative paths.
    const given = world.env.XDG_CONFIG_HOME;
    const base = given?.startsWith('/') === true ? given : join(world.home, '.config');
    this.path = join(base, 'everstep', 'credentials.json');
  }

  /** The profile name from the command line or the default. @throws CliError (usage) for an invalid name */
  nameOf(given: string | undefined): string {
    const name = given ?? (this.world.env.EVERSTEP_PROFILE || this.#read().current);
    if (NAME.test(name)) return name;
    throw new CliError('usage', `the profile "${name}" must be made of letters, digits, dots, - and _, 64 at most`);
  }

  find(name: string): Profile | undefined {
    return this.#read().profiles.get(name);
  }

  /** Stores a profile and makes it the current one. */
  save(name: string, profile: Profile): void {
    this.#change(({ profiles }) => ({ current: name, profiles: new Map([...profiles, [name, profile]]) }));
  }

  /** @returns whether it existed */
  remove(name: string): boolean {
    return this.#change(({ current, profiles }) => {
      const left = new Map([...profiles].filter(([key]) => key !== name));
      if (left.size === profiles.size) return null;
      return { current: current === name ? ([...left.keys()][0] ?? EMPTY.current) : current, profiles: left };
    });
  }

  /** Updates the file under a lock, so that concurrent commands do not overwrite each other. Null: nothing to write. */
  #change(change: (book: Book) => Book | null): boolean {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    return underLock(`${this.path}.lock`, () => {
      const book = change(this.#read());
      if (book !== null) this.#write(book);
      return book !== null;
    });
  }

  #read(): Book {
    let text: string;
    try {
      text = readFileSync(this.path, 'utf8');
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code === 'ENOENT') return EMPTY;
      throw fault;
    }
    this.#close();
    return parseBook(text, this.path);
  }

  /** Restricts a file that others could read, and warns the user. */
  #close(): void {
    if ((statSync(this.path).mode & 0o077) === 0) return;
    chmodSync(this.path, 0o600);
    this.world.err.line(
      `${this.path} was readable by other users; it is protected now, but its credentials may be known`,
    );
  }

  #write({ current, profiles }: Book): void {
    const aside = `${this.path}.${process.pid}.new`;
    try {
      const text = JSON.stringify({ current, profiles: Object.fromEntries(profiles) }, null, 2);
      writeFileSync(aside, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
      renameSync(aside, this.path);
    } finally {
      rmSync(aside, { force: true });
    }
  }
}

function parseBook(text: string, path: string): Book {
  const value = jsonOf(text);
  const profiles = isObject(value) && isObject(value.profiles) ? Object.entries(value.profiles) : null;
  const read = profiles?.flatMap(([name, profile]) => (isProfile(profile) ? [[name, profile] as const] : []));
  if (!isObject(value) || typeof value.current !== 'string' || read === undefined || read.length !== profiles?.length)
    throw new CliError('refused', `${path} cannot be read; remove it and sign in again`);
  return { current: value.current, profiles: new Map(read) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (fault) {
    // `parseBook` reports it with the path.
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

const isProfile = (value: unknown): value is Profile =>
  isObject(value) &&
  typeof value.url === 'string' &&
  typeof value.credential === 'string' &&
  (value.kind === 'token' || value.kind === 'api_key');
