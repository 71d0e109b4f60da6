import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../lib/errors';

/** `Algorithm.Argon2id` of the package, whose const enum cannot cross a module compiled on its own. */
const ARGON2ID = 2;

/** OWASP Password Storage Cheat Sheet: Argon2id with 19 MiB, two passes, one lane. */
const PARAMETERS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Each hash holds a thread of libuv's pool of four for ~20 ms; file and name look-ups need threads too. */
const AT_ONCE = 2;
const MOST_WAITING = 200;
/** Anybody may make hashes, by registering: they leave room for those who sign in. */
const MOST_WAITING_TO_HASH = 100;

/** Hashes and checks passwords, a bounded number at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #dummy: Promise<string> | null = null;

  /** Argon2id in PHC text form. @throws AppError unavailable when too many wait already. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(normal(password), PARAMETERS), MOST_WAITING_TO_HASH);
  }

  /** Whether the password has this hash. Without a hash it works just as long and says no, so time tells nothing. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    this.#dummy ??= hash('no password has this hash', PARAMETERS);
    const against = stored ?? (await this.#dummy);
    const matches = await this.#inTurn(() => verify(against, normal(password)));
    return stored !== null && matches;
  }

  async #inTurn<T>(work: () => Promise<T>, mostWaiting = MOST_WAITING): Promise<T> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= mostWaiting) {
        throw new AppError('unavailable', 'Too many sign-ins at once; try again in a second', { retry_after: 1 });
      }
      // Whoever finishes hands his place over, so #running stays as it is.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** NFKC (NIST SP 800-63B 5.1.1.2): the same characters typed on another keyboard are the same password. */
const normal = (password: string): string => password.normalize('NFKC');
